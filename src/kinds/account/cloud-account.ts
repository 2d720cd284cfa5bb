import * as z from "zod";
import { asValue } from "../../core/kind/leaf-class.ts";
import type { Described } from "../../core/kind/described.ts";
import { commonStatus } from "../../core/kind/status-schema.ts";
import { immutable, matching, rule, secretKeyReference, setOf } from "../../core/kind/schema.ts";
import { optionalText } from "../text.ts";

const namespaceName = matching(
  asValue(z.string().min(1).max(63)),
  "^([*]|[a-z0-9]([-a-z0-9]*[a-z0-9])?)$",
  "must be the name of a namespace (lowercase letters, digits and dashes), or * for every one",
);

const isAmong = (list: string): string =>
  `(!has(self.${list}) || self.${list}.all(one, one == '*' || one in self.namespaces))`;

const spec = z.object({
  endpoint: immutable(
    asValue(z.string().min(1).max(63)).describe(
      "Name of an endpoint of the operator's configuration; `default` if not given. Cannot be changed.",
    ),
    { absent: "default" },
  ).optional(),
  tokenSecretRef: secretKeyReference("The Secret with the API token. A rotated token is used within seconds.", "token"),
  sharing: rule(
    z.object({
      namespaces: setOf(namespaceName, 256).describe(
        "Namespaces whose objects may use this account; `*` is every namespace.",
      ),
      existing: setOf(namespaceName, 256)
        .describe(
          "Of these, the namespaces that may also name, adopt and change cloud objects that they did not create.",
        )
        .optional(),
      accountWide: setOf(namespaceName, 256)
        .describe(
          "Of these, the namespaces that may also use kinds that act on the whole account or on the user of its token, such as SSHKey and BetaEnrollment.",
        )
        .optional(),
    }),
    {
      cel: `'*' in self.namespaces || (${["existing", "accountWide"].map(isAmong).join(" && ")})`,
      check: ({ namespaces, existing = [], accountWide = [] }) =>
        namespaces.includes("*") ||
        [...existing, ...accountWide].every((one) => one === "*" || namespaces.includes(one)),
      message: "existing and accountWide must name only namespaces that spec.sharing.namespaces names too",
      fieldPath: ".namespaces",
    },
  )
    .describe("Who else may use this account. Withdrawn at once.")
    .optional(),
  expectedAccount: asValue(z.string().min(1).max(64))
    .describe(
      "Identity of the account that the token must belong to: its euuid or the uid of its user. Names the new one after a change of account.",
    )
    .optional(),
  reportObserved: z
    .boolean()
    .describe("Whether objects with the policy Observe show what the cloud has in status.observed; yes if not given.")
    .optional(),
  sweepSeconds: z
    .int()
    .min(1)
    .max(3600)
    .describe("Seconds between two reads of each list in use; the operator's setting if not given.")
    .optional(),
});

const status = z.object({
  observedGeneration: commonStatus.observedGeneration,
  conditions: commonStatus.conditions,
  identity: z
    .object({
      euuid: optionalText(64, "Identifier of the account, where the token may read it."),
      uid: z.int().describe("Identifier of the token's user."),
    })
    .describe("Who the token belonged to when it was first accepted.")
    .optional(),
  username: optionalText(128, "User of the token."),
  restricted: z.boolean().describe("The user is limited by grants.").optional(),
  scopes: z
    .array(z.string().max(64))
    .max(64)
    .meta({ listType: "atomic" })
    .describe("Scopes of the token; `*` is everything.")
    .optional(),
  grants: z
    .array(z.string().max(64))
    .max(64)
    .meta({ listType: "atomic" })
    .describe("Global grants of a restricted user.")
    .optional(),
  capabilities: z
    .array(z.string().max(128))
    .max(128)
    .meta({ listType: "atomic" })
    .describe("What the account may use, where the token may read it.")
    .optional(),
});

/** The account of the cloud that other objects belong to: part 1, sections 2.4 and 5; not-shown, section 6. */
export const cloudAccount: Described = {
  kind: "CloudAccount",
  plural: "cloudaccounts",
  shortNames: ["cpacc"],
  doc: "An account of the cloud: which endpoint, which token, and who may use it. Objects use the one named `default` unless they name another.",
  columns: [
    { name: "User", jsonPath: ".status.username" },
    { name: "Restricted", jsonPath: ".status.restricted", type: "boolean", priority: 1 },
  ],
  spec,
  status,
  guardsAccess: true,
  examples: [
    {
      name: "default",
      doc: "The account that objects use which name no other.",
      spec: { tokenSecretRef: { name: "cloud-token" } },
      secrets: { "cloud-token": { token: "replace-with-your-token" } },
      sample: true,
    },
    {
      name: "shared",
      doc: "An account of another endpoint, which two more namespaces use. One of them may adopt cloud objects, and use kinds that act on the whole account.",
      spec: {
        endpoint: "eu",
        tokenSecretRef: { name: "cloud-tokens", key: "shared" },
        sharing: { namespaces: ["team-a", "team-b"], existing: ["team-a"], accountWide: ["team-a"] },
        expectedAccount: "E1AF5EEC-526F-487D-B317EBEB34C87D71",
        reportObserved: false,
        sweepSeconds: 30,
      },
      secrets: { "cloud-tokens": { shared: "replace-with-your-token" } },
      shownOnly: true,
    },
  ],
};
