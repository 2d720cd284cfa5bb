import * as z from "zod";
import { asValue } from "../../core/kind/leaf-class.ts";
import type { Json } from "../../api/types.ts";
import { defineOnce } from "../../core/kind/once.ts";
import { Invalid } from "../../core/kind/outcome.ts";
import { notAfter } from "../../core/kind/rules.ts";
import { profileRow } from "./profile-row.ts";
import { optionalText } from "../text.ts";

const spec = z.object({
  action: z
    .enum(["CancelObjectStorage"])
    .describe(
      "CancelObjectStorage cancels object storage for the whole account. The cloud permanently deletes all buckets with all data, also buckets of other users.",
    ),
  confirmAccount: asValue(z.string().min(1).max(128)).describe(
    "Confirmation of the account: the euuid of the account, or the uid or name of the token's user. The status of the CloudAccount shows the values.",
  ),
});

/** Actions on an account: part 3, section 4.1. */
export const accountAction = defineOnce({
  kind: "AccountAction",
  plural: "accountactions",
  shortNames: ["cpaccact"],
  noun: "account",
  idInWords: "omitted",
  doc: "One action on a whole account. The operator runs the action once, and only if the operator setting `allowAccountActions` is on. To run the action again, create a new object.",
  columns: [
    { name: "Action", jsonPath: ".spec.action" },
    { name: "Account", jsonPath: ".spec.confirmAccount" },
  ],
  spec,
  status: z.object({
    username: optionalText(128, "User of the token."),
    existingBuckets: z.int().min(0).describe("Number of buckets in the account at the last read.").optional(),
  }),
  wire: profileRow,
  guardsAccess: true,
  admission: [
    {
      fieldPath: ".spec.notAfter",
      cel: "has(self.spec.notAfter)",
      message: `every AccountAction needs ${notAfter}`,
    },
  ],
  listPath: () => "/profile",
  shownAt: "/profile",
  identify: ({ uid }) => String(uid),
  reach: "account",
  setting: "allowAccountActions",
  details: () => ({ buckets: { path: "/object-storage/buckets", paged: true } }),
  request: ({ spec: { action, confirmAccount }, wire: { username }, account: { euuid, uid }, details }) => {
    if (![euuid, String(uid), username].includes(confirmAccount))
      throw new Invalid(
        "spec.confirmAccount",
        `"${confirmAccount}" is not the account of this token. The operator sends nothing. Create another object with the euuid, the uid or the user that status of the CloudAccount shows`,
      );
    const buckets = String(bucketsIn(details) ?? 0);
    const note = `cancels object storage of ${username}: ${buckets} buckets and everything in them`;
    return { method: "POST", path: "/object-storage/cancel", action, note, destructive: true, applies: { buckets } };
  },
  // Without buckets before the request, an empty list proves nothing.
  evident: ({ applied, details }) => (applied?.["buckets"] === "0" ? undefined : bucketsIn(details) === 0),
  report: ({ wire: { username }, details }) => ({ username, existingBuckets: bucketsIn(details) }),
  examples: [
    {
      name: "cancel-object-storage",
      doc: "Deletes all buckets of the account, with a deadline.",
      spec: {
        action: "CancelObjectStorage",
        confirmAccount: "demo",
        notAfter: "2099-01-01T00:00:00Z",
        ttlSecondsAfterFinished: 604_800,
      },
    },
  ],
});

function bucketsIn(details: Record<string, Json | undefined> | undefined): number | undefined {
  const rows = details?.["buckets"];
  return Array.isArray(rows) ? rows.length : undefined;
}
