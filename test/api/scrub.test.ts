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

const sharp = `Zq"9\\x/é<&>'+ =Wz7 secret!x`;
const forHtml = sharp.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const quoted = forHtml.replaceAll('"', "&quot;");
const inBase64 = Buffer.from(sharp).toString("base64");

test.each<[string, string]>([
  [sharp, "as it is"],
  [JSON.stringify(sharp).slice(1, -1), "with JSON escapes"],
  [encodeURIComponent(sharp), "as a part of a URL"],
  [encodeURIComponent(sharp).replaceAll("'", "%27").replaceAll("!", "%21"), "…with all that may be encoded"],
  [new URLSearchParams({ of: sharp }).toString().slice(3), "of a form"],
  [encodeURIComponent(sharp).replaceAll("%20", "+"), "of a form, as JavaScript encodes a URL"],
  [forHtml, "in the text of HTML"],
  [quoted, "…with double quotes escaped"],
  [quoted.replaceAll("'", "&#39;"), "…and single ones"],
  [quoted.replaceAll("'", "&#039;"), "…as PHP has it"],
  [quoted.replaceAll("'", "&#x27;"), "…as Python has it"],
  [inBase64, "in base64"],
  [inBase64.replaceAll("=", ""), "…without padding"],
  [Buffer.from(sharp).toString("base64url"), "…for URLs"],
])("neither a password nor a token is shown in the form %j, %s", (form) => {
  expect(scrubFor(undefined, { root_pass: sharp })(`bad ${form}.`)).toBe("bad (sensitive).");
  expect(scrubFor(sharp, undefined)(`token ${form}.`)).toBe("token (sensitive).");
});

test("the base64 of a short secret is not searched for: four letters are found in any text", () => {
  const scrub = scrubFor(undefined, { otp_code: "ab1" });
  expect(scrub(`region ${Buffer.from("ab1").toString("base64")}`)).toBe("region YWIx");
});

const userData = `#cloud-config
hostname: web-1
package_update: true
write_files:
  - path: /etc/app.conf
    content: "a & b <c>"
chpasswd:
  list: |
    root:TOPSECRETuserdata42
# password: once-hunter22
export TOKEN='abcdef-123456'
`;

const ofUserData = scrubFor(undefined, { metadata: { user_data: Buffer.from(userData).toString("base64") } });

test.each<[string, string, string]>([
  [`ud ${userData}!`, "ud (sensitive)!", "the whole text"],
  [`ud ${userData.trim()}!`, "ud (sensitive)!", "…without the end of its last line"],
  [`ud ${JSON.stringify(userData)}`, 'ud "(sensitive)"', "…with JSON escapes"],
  ["line 9: root:TOPSECRETuserdata42", "line 9: (sensitive)", "a line of it"],
  ["list: 'TOPSECRETuserdata42' is weak", "list: '(sensitive)' is weak", "the value on a line"],
  ["TOKEN: abcdef-123456", "TOKEN: (sensitive)", "…without its quotes"],
  ["content: &quot;a &amp; b &lt;c&gt;&quot;", "(sensitive)", "a line of it in HTML"],
  ["bad # password: once-hunter22", "bad (sensitive)", "a comment, which may hold what was in use"],
  [
    "#cloud-config: write_files: is no list",
    "#cloud-config: write_files: is no list",
    "what names a format and a field",
  ],
  ["line 3: true", "line 3: true", "a short value, which is found in any text"],
])("of user data in base64 nothing secret is left in %j: %s", (text, clean, _because) => {
  expect(ofUserData(text)).toBe(clean);
});

test("a first line that is a comment like any other is not shown", () => {
  const scrub = scrubFor(undefined, { stackscript_data: { conf: "# was hunter22\nport 22" } });
  expect(scrub("line 1: # was hunter22")).toBe("line 1: (sensitive)");
});

test("what is base64 of no text, or no base64 at all, is not decoded", () => {
  const bytes = Buffer.from([0x1f, 0x8b, 8, 0, 255, 254, 253, 1, 2, 3, 4, 5]).toString("base64");
  expect(scrubFor(undefined, { user_data: bytes })(`bad ${bytes}`)).toBe("bad (sensitive)");
  expect(scrubFor(undefined, { root_pass: "passwordpass" })("passwordpass is weak")).toBe("(sensitive) is weak");
});
