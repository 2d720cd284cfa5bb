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

const mobile = { phoneNumber: "+436601234567", isoCode: "AT", codeSecretRef: { name: "phone-code" } };
const international = "must be a plus sign, the code of the country and the number";

const phoneVerification: Omit<Refused, "kind">[] = [
  { because: "a number is given", spec: without(mobile, "phoneNumber"), says: "phoneNumber" },
  { because: "a country is given", spec: without(mobile, "isoCode"), says: "isoCode" },
  { because: "a code has its place", spec: without(mobile, "codeSecretRef"), says: "codeSecretRef" },
  {
    because: "a number begins with its country",
    spec: { ...mobile, phoneNumber: "0660 1234567" },
    says: international,
  },
  { because: "no number begins with zero", spec: { ...mobile, phoneNumber: "+06601234567" }, says: international },
  { because: "spaces say nothing", spec: { ...mobile, phoneNumber: "+43 6601234567" }, says: international },
  { because: "letters are no digits", spec: { ...mobile, phoneNumber: "+1800FLOWERS" }, says: international },
  { because: "a number has seven digits", spec: { ...mobile, phoneNumber: "+43660" }, says: "spec.phoneNumber" },
  {
    because: "a number has at most fifteen digits",
    spec: { ...mobile, phoneNumber: "+4366012345678901" },
    says: "spec.phoneNumber",
  },
  { because: "a number is text", spec: { ...mobile, phoneNumber: 436601234567 }, says: "spec.phoneNumber" },
  { because: "a country has two letters", spec: { ...mobile, isoCode: "AUT" }, says: "spec.isoCode" },
  { because: "letters are capitals", spec: { ...mobile, isoCode: "at" }, says: "must be two capital letters" },
  { because: "digits are no country", spec: { ...mobile, isoCode: "43" }, says: "must be two capital letters" },
  {
    because: "a code stands in a Secret, which has a name",
    spec: { ...mobile, codeSecretRef: { key: "code" } },
    says: "spec.codeSecretRef.name",
  },
  { because: "requests are counted", spec: { ...mobile, resend: -1 }, says: "spec.resend" },
];

const inventory: Omit<Refused, "kind">[] = [
  { because: "lists are not read every minute", spec: { everyMinutes: 4 }, says: "spec.everyMinutes" },
  { because: "figures are not older than a day", spec: { everyMinutes: 1441 }, says: "spec.everyMinutes" },
  { because: "there is no end of reading", spec: { everyMinutes: 0 }, says: "spec.everyMinutes" },
  { because: "time does not go backwards", spec: { everyMinutes: -60 }, says: "spec.everyMinutes" },
  { because: "minutes are whole", spec: { everyMinutes: 7.5 }, says: "spec.everyMinutes" },
  { because: "minutes are a number", spec: { everyMinutes: "60" }, says: "spec.everyMinutes" },
  { because: "a duration has another form elsewhere", spec: { everyMinutes: "1h" }, says: "spec.everyMinutes" },
  { because: "one interval serves all lists", spec: { everyMinutes: [60] }, says: "spec.everyMinutes" },
  { because: "it only observes", spec: { management: { policy: "Observe" } }, says: "spec.management.policy" },
  { because: "there is nothing to plan", spec: { management: { policy: "Plan" } }, says: "spec.management.policy" },
  { because: "a policy is a word", spec: { management: { policy: true } }, says: "spec.management.policy" },
  { because: "protection is on or off", spec: { management: { protect: "yes" } }, says: "spec.management.protect" },
  { because: "an account has a name", spec: { accountRef: {} }, says: "spec.accountRef.name" },
  { because: "a name is no list", spec: { accountRef: { name: ["a"] } }, says: "spec.accountRef.name" },
  {
    because: "a namespace has a name",
    spec: { accountRef: { name: "a", namespace: "" } },
    says: "spec.accountRef.namespace",
  },
];

const accessPolicy: Omit<Refused, "kind">[] = [
  { because: "a login is named by its number", spec: { keepLogins: ["yesterday's"] }, says: "must be the number" },
  { because: "a login is kept once", spec: { keepLogins: ["31", "31"] }, says: "uplicate" },
  { because: "a rule says something", spec: { apps: {} }, says: "at least one of allow and maxAgeDays must be given" },
  { because: "an app is named", spec: { apps: { allow: [{}] } }, says: "exactly one of id and label" },
  {
    because: "an app is named in one way",
    spec: { apps: { allow: [{ id: "7", label: "Dashboard" }] } },
    says: "exactly one of id and label",
  },
  { because: "an id is a number", spec: { apps: { allow: [{ id: "Dashboard" }] } }, says: "must be the number" },
  { because: "an id has no zeros before it", spec: { apps: { allow: [{ id: "007" }] } }, says: "must be the number" },
  { because: "a label has a character", spec: { apps: { allow: [{ label: "" }] } }, says: "label" },
  { because: "an app is no text", spec: { apps: { allow: ["Dashboard"] } }, says: "spec.apps.allow" },
  {
    because: "a list has an end",
    spec: { apps: { allow: Array.from({ length: 65 }, (_, n) => ({ id: String(n + 1) })) } },
    says: "spec.apps.allow",
  },
  { because: "nothing is younger than a day", spec: { apps: { maxAgeDays: 0 } }, says: "spec.apps.maxAgeDays" },
  { because: "nothing lives for ever", spec: { devices: { maxAgeDays: 3651 } }, says: "spec.devices.maxAgeDays" },
  { because: "a rule for devices has an age", spec: { devices: {} }, says: "maxAgeDays" },
  { because: "days are whole", spec: { devices: { maxAgeDays: 1.5 } }, says: "spec.devices.maxAgeDays" },
  {
    because: "an app is named by its number",
    spec: { apps: { maxAgeDays: 1, notOwn: ["Dashboard"] } },
    says: "must be the number",
  },
  {
    because: "what is not its own is no rule",
    spec: { apps: { notOwn: ["7"] } },
    says: "at least one of allow and maxAgeDays must be given",
  },
];

const of = (kind: string, rows: Omit<Refused, "kind">[]): Refused[] => rows.map((row) => Object.assign({ kind }, row));

export const refusedAccess: Refused[] = [
  ...of("AccessPolicy", accessPolicy),
  ...of("AccountAction", accountAction),
  ...of("Inventory", inventory),
  ...of("PhoneVerification", phoneVerification),
];
