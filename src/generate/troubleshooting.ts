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

## Reasons

${entries.join("\n")}`;
}
