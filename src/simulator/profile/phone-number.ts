import { randomInt } from "node:crypto";
import * as z from "zod";
import { USERS } from "../server/auth/identity.ts";
import { invalid, refused } from "../server/errors.ts";
import { operation } from "../server/operation.ts";
import { PHONE_CODES, SMS } from "./tables.ts";

const path = "/profile/phone-number";

/** Lifetime of a code (part 1 section 4.2 rule 1). */
const CODE_MS = 10 * 60_000;

const countries = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
const sendBody = z.object({
  iso_code: z
    .string()
    .refine(
      (code) => /^[A-Za-z]{2}$/.test(code) && countries.of(code.toUpperCase()) !== undefined,
      "Must be a two-letter ISO 3166 country code",
    ),
  phone_number: z
    .string()
    .regex(/^\+?[\d\s().-]+$/, "Must be a phone number")
    .transform((number) => number.replaceAll(/\D/g, ""))
    .refine((digits) => digits.length >= 7 && digits.length <= 15, "Must have 7 to 15 digits"),
});

/** Serves the user's phone number. A code proves the number (part 1 section 4.2 rules 1 and 2). */
export const phoneNumberOperations = [
  operation({
    method: "POST",
    path,
    summary: "Send a one-time code; within its life a repeated one is the same",
    scopes: ["account:read_write"],
    body: sendBody,
    handler({ world, account, caller: { user }, body, now }) {
      if (user.verified_phone_number !== null) throw refused("Delete the verified phone number first");
      const phone_number = `+${body.phone_number}`;
      const known = world.store.get(PHONE_CODES, account, user.username);
      const { code, expires } = known && known.expires > now ? known : { code: newCode(), expires: now + CODE_MS };
      world.store.put(PHONE_CODES, account, { username: user.username, phone_number, code, expires });
      const id = world.store.nextId("sms");
      const message = { id, username: user.username, iso_code: body.iso_code, phone_number, code, sent: now };
      world.store.put(SMS, account, message);
      return {};
    },
  }),
  operation({
    method: "POST",
    path: `${path}/verify`,
    summary: "Prove the phone number by the code that was sent to it",
    scopes: ["account:read_write"],
    body: z.object({ otp_code: z.string() }),
    handler({ world, account, caller: { user }, body, now }) {
      const sent = world.store.get(PHONE_CODES, account, user.username);
      if (!sent || sent.expires <= now || sent.code !== body.otp_code)
        throw invalid("otp_code", "The code is wrong or has expired");
      world.store.remove(PHONE_CODES, account, user.username);
      world.store.patch(USERS, account, user.username, { verified_phone_number: sent.phone_number });
      return {};
    },
  }),
  operation({
    method: "DELETE",
    path,
    summary: "Remove the verified phone number; no more SMS",
    scopes: ["account:read_write"],
    handler({ world, account, caller: { user } }) {
      world.store.patch(USERS, account, user.username, { verified_phone_number: null });
      world.store.remove(PHONE_CODES, account, user.username);
      return {};
    },
  }),
];

function newCode(): string {
  return String(randomInt(1_000_000)).padStart(6, "0");
}
