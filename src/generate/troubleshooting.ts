import { reasonDocs } from "../core/kind/reasons.ts";
import { markdownHeader } from "./markdown.ts";

/** Returns the guide to reasons: meaning and cure of each reason. */
export function troubleshootingGuide(): string {
  const entries = Object.entries(reasonDocs).map(
    ([reason, { means, cure }]) => `### ${reason}\n\n${means}\n\n**Cure:** ${cure}\n`,
  );
  return `${markdownHeader}# Troubleshooting

\`status.conditions\` of each object contains its state. \`kubectl get cloudplatform\` shows the reason and the message of
\`Ready\` for all kinds of a namespace. \`kubectl cloudplatform why\` follows references, account and Secret to the root cause, and
names the cure: see [Command line](command-line.md#why). \`kubectl describe\` adds the events. The operator sends an event immediately after
a refusal, after two seconds if a Secret or a referenced object is missing, and after ten seconds if an object waits for a user
for another reason.

| condition | meaning |
|---|---|
| \`Ready\` | always present; \`True\` if the cloud object is as specified |
| \`Reconciling\` | present while the operator works or retries: wait |
| \`Stalled\` | present if only a change of the spec, a Secret or a grant can help |
| \`Complete\` | only for kinds that run once, such as ComputeAction: \`False\` until the cloud has executed the action, then permanently \`True\`. Until the end, its reason is the reason of \`Ready\`. To wait: \`kubectl wait computeaction/reboot --for=condition=Complete\` |
| \`Drifted\` | present if the operator reports a difference and does not correct the difference |
| \`Duplicate\` | present if the cloud executed a create request without a response late, and two cloud objects exist |
| \`Unpublished\` | present if no Secret contains the values that the cloud API showed only once |

Kubernetes has its own kind IPAddress, and \`kubectl get ipaddress\` does not show the objects of this operator. Use the plural
with the group, \`kubectl get ipaddresses.cloudplatform.dev\`, or the short name, \`kubectl get cpip\`. The
[reference](../crds/README.md) and \`kubectl api-resources --api-group=cloudplatform.dev\` list the short names of all kinds.

## Reasons

${entries.join("\n")}`;
}
