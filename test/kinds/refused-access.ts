/** Specs of what gives or takes access to an account that are refused; see `refused.ts`. */
import type { Refused } from "./refused.ts";

const notAfter = "2099-01-01T00:00:00Z";
const cancel = { action: "CancelObjectStorage", confirmAccount: "demo", notAfter };
const without = (spec: Record<string, unknown>, field: string) =>
  Object.fromEntries(Object.entries(spec).filter(([name]) => name !== field));

const accountAction: Omit<Refused, "kind">[] = [
  { because: "an action is named", spec: without(cancel, "action"), says: "action" },
  { because: "there is one action", spec: { ...cancel, action: "CloseAccount" }, says: "spec.action" },
  { because: "an action is written as it is", spec: { ...cancel, action: "cancelObjectStorage" }, says: "spec.action" },
  { because: "an action is a word", spec: { ...cancel, action: ["CancelObjectStorage"] }, says: "spec.action" },
  { because: "the account is confirmed", spec: without(cancel, "confirmAccount"), says: "confirmAccount" },
  { because: "nothing confirms nothing", spec: { ...cancel, confirmAccount: "" }, says: "spec.confirmAccount" },
  { because: "a uid is written as text", spec: { ...cancel, confirmAccount: 7 }, says: "spec.confirmAccount" },
  { because: "yes is no account", spec: { ...cancel, confirmAccount: true }, says: "spec.confirmAccount" },
  {
    because: "no account has so long a name",
    spec: { ...cancel, confirmAccount: "a".repeat(129) },
    says: "spec.confirmAccount",
  },
  {
    because: "one account is confirmed",
    spec: { ...cancel, confirmAccount: ["demo"] },
    says: "spec.confirmAccount",
  },
  { because: "a time has a bound", spec: { ...cancel, notAfter: "2".repeat(41) }, says: "spec.notAfter" },
  {
    because: "an account has a name",
    spec: { ...cancel, accountRef: { name: "" } },
    says: "spec.accountRef.name",
  },
  { because: "a time is text", spec: { ...cancel, notAfter: 4070908800 }, says: "spec.notAfter" },
  {
    because: "what was cancelled cannot be observed into being",
    spec: { ...cancel, management: { policy: "Observe" } },
    says: "spec.management.policy",
  },
  {
    because: "an account is referred to by its name",
    spec: { ...cancel, accountRef: { namespace: "shop" } },
    says: "spec.accountRef.name",
  },
];

export const refusedAccess: Refused[] = accountAction.map((row) => Object.assign({ kind: "AccountAction" }, row));
