import { reasonDocs } from "../core/kind/reasons.ts";
import { markdownHeader } from "./markdown.ts";

/** The guide to reasons: each entry of the closed vocabulary, what it means and what cures it. */
export function troubleshootingGuide(): string {
  const entries = Object.entries(reasonDocs).map(
    ([reason, { means, cure }]) => `### ${reason}\n\n${means}\n\n**Cure:** ${cure}\n`,
  );
  return `${markdownHeader}# Troubleshooting

Every object says in \`status.conditions\` how it stands. \`kubectl get cloudplatform\` shows the reason of \`Ready\` for all
kinds of a namespace, \`-o wide\` the message too; \`kubectl describe\` adds the events. What is refused has an event at once, what
waits for you, such as a missing Secret, after ten seconds.

| condition | meaning |
|---|---|
| \`Ready\` | always there; \`True\` when the cloud object is as the spec says |
| \`Reconciling\` | only while something is under way: wait |
| \`Stalled\` | only when nothing will happen before the spec, a Secret or a grant is changed |
| \`Complete\` | only of what runs once, such as a ComputeAction: \`False\` until the cloud has carried it out, then \`True\` for good. Until then it has the reason of \`Ready\`. To wait for it: \`kubectl wait computeaction/reboot --for=condition=Complete\` |
| \`Drifted\` | only when a difference is reported and not removed |
| \`Duplicate\` | only when a create request that got no response was carried out late, so that there are two cloud objects |
| \`Unpublished\` | only when no Secret holds what the cloud API showed once |

Kubernetes has a kind IPAddress of its own, so \`kubectl get ipaddress\` does not show the objects of this operator. Write the plural
with its group, \`kubectl get ipaddresses.cloudplatform.dev\`, or the short name, \`kubectl get cpip\`. The
[reference](../crds/README.md) has the short names of all kinds, and so has \`kubectl api-resources --api-group=cloudplatform.dev\`.

## Reasons

${entries.join("\n")}`;
}
