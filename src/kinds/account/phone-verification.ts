import * as z from "zod";
import { asValue } from "../../core/kind/leaf-class.ts";
import { matching, secretKeyReference } from "../../core/kind/schema.ts";
import { defineSetting } from "../../core/kind/setting.ts";
import { timestamp } from "../../core/kind/timestamp.ts";
import { optionalTime } from "../time.ts";
import {
  aboutOf,
  international,
  lastOf,
  normal,
  notCode,
  path,
  removal,
  sending,
  validUntil,
  verification,
} from "./phone-code.ts";
import { profileRow } from "./profile-row.ts";
import { optionalText } from "../text.ts";

const spec = z.object({
  phoneNumber: matching(
    asValue(z.string().min(8).max(16)).describe("Number in international form, such as +436601234567."),
    international,
    "must be a plus sign, the code of the country and the number, digits alone, such as +436601234567",
  ),
  isoCode: matching(
    asValue(z.string().min(2).max(2)).describe("Country of the number: two letters of ISO 3166, such as AT."),
    "^[A-Z]{2}$",
    "must be two capital letters, such as AT",
  ),
  codeSecretRef: secretKeyReference(
    "Secret for the code from the SMS. You can create the Secret after the SMS arrives.",
    "code",
  ),
  resend: z
    .int()
    .min(0)
    .max(1_000_000)
    .describe("Counter for new codes. After a change, the operator sends a new code.")
    .optional(),
});

/** The verified phone number of the token's user: part 1, sections 2.4 and 4.2. */
export const phoneVerification = defineSetting({
  kind: "PhoneVerification",
  plural: "phoneverifications",
  shortNames: ["cpphone"],
  noun: "phone number",
  idInWords: "omitted",
  doc: "The phone number of the token's user, verified by a code. The cloud sends the code by SMS, once for each change of the number, and you put the code into a Secret. The operator first removes a different verified number. Deleting the object removes the number if the object verified the number.",
  columns: [
    { name: "Number", jsonPath: ".spec.phoneNumber" },
    { name: "Verified", jsonPath: ".status.verifiedPhoneNumber" },
    { name: "Code until", jsonPath: ".status.lastCodeValidUntil", priority: 1 },
  ],
  spec,
  status: z.object({
    verifiedPhoneNumber: optionalText(32, "Verified number in the cloud."),
    lastCodeSentAt: optionalTime("Time of the last code. Present until the number is verified."),
    lastCodeValidUntil: optionalTime("Expiry of the last code."),
  }),
  wire: profileRow,
  references: { codeSecretRef: { secret: ({ codeSecretRef }) => codeSecretRef, key: "code", refuses: notCode } },
  listPath: () => "/profile",
  shownAt: "/profile",
  part: "phone",
  identify: ({ uid }) => String(uid),
  ofUser: true,
  reach: "account",
  guardsAccess: true,
  exports: "a verification needs a code from a message",
  fields: {
    verified_phone_number: {
      specField: "phoneNumber",
      desired: ({ spec: { phoneNumber } }) => phoneNumber,
      observed: ({ verified_phone_number: shown }) => normal(shown),
    },
    otp_code: { specField: "codeSecretRef", desired: () => undefined, sensitive: true },
  },
  verbs: {
    update: ({ spec: wanted, id, namespace, wire, refs, operations, digest }) =>
      removal(wire.verified_phone_number) ??
      sending(wanted, operations, id) ??
      verification(wanted, { namespace, code: refs.codeSecretRef ?? "", operations, digest }),
  },
  undo: () => ({ method: "DELETE", path }),
  report: ({ spec: wanted, id, wire: { verified_phone_number: shown }, operations }) => {
    const sent = lastOf(operations, "SendCode");
    const waits = sent?.about === aboutOf(wanted, id) && !sent.refused && normal(shown) !== wanted.phoneNumber;
    return {
      verifiedPhoneNumber: shown ?? undefined,
      ...(waits && { lastCodeSentAt: timestamp(new Date(sent.time)), lastCodeValidUntil: validUntil(sent) }),
    };
  },
  examples: [
    {
      name: "mobile",
      doc: "A phone number that you verify with the code from an SMS.",
      spec: { phoneNumber: "+436601234567", isoCode: "AT", codeSecretRef: { name: "phone-code" } },
      changes: { phoneNumber: { phoneNumber: "+436607654321" } },
    },
    {
      name: "mobile-again",
      doc: "A phone number whose first code did not arrive. A change of `resend` sends a new code.",
      spec: {
        phoneNumber: "+436601234567",
        isoCode: "AT",
        codeSecretRef: { name: "phone-code", key: "sms" },
        resend: 1,
      },
      shownOnly: true,
    },
  ],
});
