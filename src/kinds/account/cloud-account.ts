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
      "Name of an endpoint in the operator's configuration. Defaults to `default`. Cannot be changed.",
    ),
    { absent: "default" },
  ).optional(),
  tokenSecretRef: secretKeyReference(
    "Secret with the API token. After a rotation, the operator uses the new token in a few seconds.",
    "token",
  ),
  sharing: rule(
    z.object({
      namespaces: setOf(namespaceName, 256).describe(
        "Namespaces whose objects can use the account. `*` means every namespace.",
      ),
      existing: setOf(namespaceName, 256)
        .describe(
          "Subset of namespaces whose objects can also name, adopt and change cloud objects that the namespace did not create.",
        )
        .optional(),
      accountWide: setOf(namespaceName, 256)
        .describe(
          "Subset of namespaces that can also use kinds for the whole account or for the token's user, such as SSHKey and BetaEnrollment.",
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
    .describe("Other namespaces that can use the account. A withdrawal takes effect immediately.")
    .optional(),
  expectedAccount: asValue(z.string().min(1).max(64))
    .describe(
      "Required identity of the token: the euuid of the account, or the uid of the token's user. To change to another account, set the new identity.",
    )
    .optional(),
  reportObserved: z
    .boolean()
    .describe(
      "Whether objects with the policy Observe show the values of the cloud in status.observed. Defaults to true.",
    )
    .optional(),
  pollSeconds: z
    .int()
    .min(1)
    .max(3600)
    .describe("Seconds between two reads of each list in use. Defaults to the operator's setting.")
    .optional(),
});

const status = z.object({
  observedGeneration: commonStatus.observedGeneration,
  conditions: commonStatus.conditions,
  identity: z
    .object({
      euuid: optionalText(64, "Identifier of the account. Present if the token can read the account."),
      uid: z.int().describe("Identifier of the token's user."),
    })
    .describe("Account and user of the token at the first successful check.")
    .optional(),
  endpoint: z
    .object({
      url: optionalText(2048, "URL of the cloud API."),
      brandWord: optionalText(64, "Brand word of the cloud API."),
    })
    .describe("Address of the cloud API, from the operator's configuration.")
    .optional(),
  username: optionalText(128, "Name of the token's user."),
  restricted: z.boolean().describe("True if grants limit the user.").optional(),
  scopes: z
    .array(z.string().max(64))
    .max(64)
    .meta({ listType: "atomic" })
    .describe("Scopes of the token. `*` means all scopes.")
    .optional(),
  grants: z
    .array(z.string().max(64))
    .max(64)
    .meta({ listType: "atomic" })
    .describe("Global grants of a restricted user.")
    .optional(),
  features: z
    .array(z.string().max(128))
    .max(128)
    .meta({ listType: "atomic" })
    .describe("Features that the account can use. Present if the token can read the account.")
    .optional(),
});

/** The account of the cloud that other objects belong to: part 1, sections 2.4 and 5; not-shown, section 6. */
export const cloudAccount: Described = {
  kind: "CloudAccount",
  plural: "cloudaccounts",
  shortNames: ["cpacc"],
  doc: "An account of the cloud: endpoint, token, and sharing with other namespaces. Objects without `spec.accountRef` use the CloudAccount named `default`.",
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
      doc: "The account for objects without `spec.accountRef`.",
      spec: { tokenSecretRef: { name: "cloud-token" } },
      secrets: { "cloud-token": { token: "replace-with-your-token" } },
      sample: true,
    },
    {
      name: "shared",
      doc: "An account at another endpoint, shared with two namespaces. One namespace can also adopt cloud objects and use kinds for the whole account.",
      spec: {
        endpoint: "eu",
        tokenSecretRef: { name: "cloud-tokens", key: "shared" },
        sharing: { namespaces: ["team-a", "team-b"], existing: ["team-a"], accountWide: ["team-a"] },
        expectedAccount: "E1AF5EEC-526F-487D-B317EBEB34C87D71",
        reportObserved: false,
        pollSeconds: 30,
      },
      secrets: { "cloud-tokens": { shared: "replace-with-your-token" } },
      shownOnly: true,
    },
  ],
};
