import { expect, test } from "vitest";
import { scrubFor } from "../../src/api/scrub.ts";
import type { JsonObject } from "../../src/api/types.ts";

const key = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\n-----END PRIVATE KEY-----";

test.each<[JsonObject, string, string, string]>([
  [{ root_pass: "hunter2!x" }, "Password hunter2!x is weak", "Password (sensitive) is weak", "a password"],
  [{ metadata: { user_data: "I2Nsb3Vk" } }, "bad I2Nsb3Vk", "bad (sensitive)", "nested"],
  [{ authorized_keys: ["ssh-ed25519 AAAA"] }, "bad ssh-ed25519 AAAA", "bad (sensitive)", "in a list"],
  [{ private_key: key }, `bad ${JSON.stringify(key)}`, 'bad "(sensitive)"', "echoed as JSON"],
  [{ private_key: key }, "line MIIEvQIBADANBgkqhkiG9w0BAQ", "line (sensitive)", "one line of it"],
  [{ otp_code: "123456" }, "123456 is wrong", "(sensitive) is wrong", "a one-time code"],
  [{ security_questions: [{ question_id: 1, response: "Rex" }] }, "Rex is short", "(sensitive) is short", "an answer"],
  [{ password: "abc", root_pass: "abcdef" }, "abcdef", "(sensitive)", "a secret inside another one"],
  [{ label: "web-1" }, "web-1 is taken", "web-1 is taken", "what is no secret stays"],
])("of %j nothing secret is left in %j: %s", (body, text, clean) => {
  expect(scrubFor("token", body)(text)).toBe(clean);
});

test("the token is removed, and long text is cut", () => {
  const scrub = scrubFor("tok-1234", undefined);
  expect(scrub("Bearer tok-1234 refused")).toBe("Bearer (sensitive) refused");
  expect(scrub("x".repeat(5_000))).toHaveLength(1_001);
});
