/** The phone of a user: a code is sent to it, and verifies its number. */
import type { JsonObject } from "../../src/api/types.ts";
import type { Clock } from "../../src/queue/clock.ts";

/** How long a code is valid, milliseconds. */
const validMs = 600_000;

export interface Phone {
  verified?: string | undefined;
  sent?: { number: string; code: string; until: number } | undefined;
  /** Codes in the order in which they came. */
  codes: string[];
}

/** Carries a request out; answers why not. */
export function servePhone(phone: Phone, clock: Clock, method: string, rest: string, body: JsonObject) {
  if (method === "DELETE") return void Object.assign(phone, { verified: undefined, sent: undefined });
  if (rest === "/verify") return verify(phone, clock, body);
  const number = body["phone_number"] as string;
  if (phone.verified !== undefined) return "Delete the verified phone number first";
  if (number.endsWith("000000")) return "Must be a phone number";
  const valid = phone.sent !== undefined && phone.sent.until > clock.now();
  const code = valid && phone.sent ? phone.sent.code : String(100_000 + phone.codes.length);
  phone.codes.push(code);
  phone.sent = { number, code, until: valid && phone.sent ? phone.sent.until : clock.now() + validMs };
  return undefined;
}

function verify(phone: Phone, clock: Clock, body: JsonObject) {
  const { sent } = phone;
  if (!sent || sent.code !== body["otp_code"] || sent.until <= clock.now()) return "The code is wrong or has expired";
  phone.verified = sent.number;
  phone.sent = undefined;
  return undefined;
}
