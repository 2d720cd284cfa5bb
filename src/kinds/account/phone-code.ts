/** Next call for a phone number without verification: remove the old number, send a code, or try a code. */
import type { Call } from "../../core/kind/call.ts";
import { Stalled, Waiting } from "../../core/kind/outcome.ts";
import type { Operation } from "../../core/kind/status-schema.ts";
import { timestamp } from "../../core/kind/timestamp.ts";

export const path = "/profile/phone-number";

/** Validity of a code in milliseconds: part 1, section 4.2, rule 1. */
const validMs = 10 * 60_000;

interface Wanted {
  phoneNumber: string;
  isoCode: string;
  codeSecretRef: { name: string; key?: string | undefined };
  resend?: number | undefined;
}

/** Returns why a text is no code. A Secret without a code yet can hold an empty text. */
export function notCode(text: string): string | undefined {
  return /^\S{0,64}$/.test(text) ? undefined : "must be the code alone, without spaces";
}

/** Pattern of a number in international form. */
export const international = "^[+][1-9][0-9]{6,14}$";

/** Returns a number without spaces, which the API can add. */
export function normal(shown: string | null | undefined): string | null {
  return shown ? `+${shown.replaceAll(/\D/g, "")}` : null;
}

/**
 * Returns the call that removes the verified number, because the API verifies no second number: part 1, section 4.2, rule 1.
 * Throws `Stalled` for an unreadable number, which can be the desired number in an unknown form.
 */
export function removal(shown: string | null | undefined): Call | undefined {
  if (!shown) return undefined;
  if (!new RegExp(international).test(normal(shown) ?? ""))
    throw new Stalled(
      "Unreadable",
      `the cloud API shows ${JSON.stringify(shown).slice(0, 64)} as the verified number, which this version of the operator cannot read. The operator does not remove or verify a number. Upgrade the operator`,
    );
  return { method: "DELETE", path, action: "RemoveNumber", note: `takes ${shown} off` };
}

/** Returns the call that sends a code, once for each request and user. Undefined after the code was sent. */
export function sending(wanted: Wanted, operations: Operation[], user: string): Call | undefined {
  const { phoneNumber, isoCode } = wanted;
  const about = aboutOf(wanted, user);
  const sent = lastOf(operations, "SendCode");
  if (sent?.about !== about) {
    const body = { iso_code: isoCode, phone_number: phoneNumber };
    const note = `sends a code by SMS to ${phoneNumber}`;
    return { method: "POST", path, body, action: "SendCode", note, destructive: true, about };
  }
  if (sent.refused === undefined) return undefined;
  throw new Stalled(
    "Refused",
    `the cloud API refuses to send a code to ${phoneNumber}: ${sent.refused}. The operator sends no code. Correct spec.phoneNumber or spec.isoCode, or change spec.resend to try again`,
  );
}

interface Known {
  namespace: string;
  /** Empty if the Secret has no code. */
  code: string;
  operations: Operation[];
  digest: (value: string) => string;
}

/** Returns the call that tries the code in the Secret once. Throws if the Secret has no new code. */
export function verification(
  { phoneNumber, codeSecretRef: { name, key = "code" } }: Wanted,
  { namespace, code, operations, digest }: Known,
): Call {
  const sent = lastOf(operations, "SendCode");
  const tried = lastOf(operations, "VerifyNumber");
  const about = digest(code);
  const place = `key ${key} of Secret ${name} in namespace ${namespace}`;
  const isTried = tried?.about === about && tried.settled === true;
  if (code === "" || (isTried && tried.time < (sent?.time ?? ""))) {
    const heard = sent?.settled ? "was sent" : "may have been sent";
    const message = `a code ${heard} by SMS to ${phoneNumber}. Put it into ${place} before ${validUntil(sent)}. If no code arrives, or it has expired, change spec.resend to get another one`;
    throw new Waiting("CodeSent", message, 600_000);
  }
  if (!isTried) {
    const call = { method: "POST", path: `${path}/verify`, body: { otp_code: code }, action: "VerifyNumber" } as const;
    return { ...call, note: `verifies ${phoneNumber} by the code in ${place}`, destructive: true, about };
  }
  const what =
    tried.refused === undefined ? "was used, and somebody has removed the number since" : "is wrong or has expired";
  throw new Stalled(
    "CodeRefused",
    `the code in ${place} ${what}. It is not used again. Change spec.resend to get another code sent to ${phoneNumber}. Then put that code into the Secret`,
  );
}

/** Returns the key of a request for a code. The key has the user, because a new CloudAccount can have a token of another user. */
export function aboutOf({ phoneNumber, isoCode, resend = 0 }: Wanted, user: string): string {
  return `${isoCode} ${phoneNumber} ${resend} ${user}`;
}

export function lastOf(operations: Operation[], action: string): Operation | undefined {
  return operations.find((one) => one.action === action);
}

export function validUntil(sent: Operation | undefined): string {
  return timestamp(new Date(Date.parse(sent?.time ?? "") + validMs));
}
