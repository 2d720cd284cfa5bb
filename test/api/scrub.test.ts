import { expect, test } from "vitest";
import { clientFor, failureOf, startServer } from "./server.ts";
import { scrubFor as scrubsFor } from "../../src/api/scrub.ts";
import type { JsonObject } from "../../src/api/types.ts";
import { createMovedClock } from "../support/clock.ts";

/** Scrubs all texts of one response. */
const scrubAll = (token: string | undefined, body: JsonObject | undefined, texts: string[]) =>
  scrubsFor(token, body, createMovedClock())(texts);

/** Scrubs the only text of a response. */
const scrubFor = (token: string | undefined, body: JsonObject | undefined) => async (text: string) =>
  (await scrubAll(token, body, [text]))[0]!;

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
])("of %j nothing secret is left in %j: %s", async (body, text, clean) => {
  expect(await scrubFor("token", body)(text)).toBe(clean);
});

test("the token is removed, and long text is cut", async () => {
  const scrub = scrubFor("tok-1234", undefined);
  expect(await scrub("Bearer tok-1234 refused")).toBe("Bearer (sensitive) refused");
  expect(await scrub("x".repeat(5_000))).toHaveLength(1_001);
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
])("neither a password nor a token is shown in the form %j, %s", async (form) => {
  expect(await scrubFor(undefined, { root_pass: sharp })(`bad ${form}.`)).toBe("bad (sensitive).");
  expect(await scrubFor(sharp, undefined)(`token ${form}.`)).toBe("token (sensitive).");
});

test("the base64 of a short secret is not searched for: four letters are found in any text", async () => {
  const scrub = scrubFor(undefined, { otp_code: "ab1" });
  expect(await scrub(`region ${Buffer.from("ab1").toString("base64")}`)).toBe("region YWIx");
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
])("of user data in base64 nothing secret is left in %j: %s", async (text, clean, _because) => {
  expect(await ofUserData(text)).toBe(clean);
});

test("a first line that is a comment like any other is not shown", async () => {
  const scrub = scrubFor(undefined, { stackscript_data: { conf: "# was hunter22\nport 22" } });
  expect(await scrub("line 1: # was hunter22")).toBe("line 1: (sensitive)");
});

test("what is base64 of no text, or no base64 at all, is not decoded", async () => {
  const bytes = Buffer.from([0x1f, 0x8b, 8, 0, 255, 254, 253, 1, 2, 3, 4, 5]).toString("base64");
  expect(await scrubFor(undefined, { user_data: bytes })(`bad ${bytes}`)).toBe("bad (sensitive)");
  expect(await scrubFor(undefined, { root_pass: "passwordpass" })("passwordpass is weak")).toBe("(sensitive) is weak");
});

const password = `Zq"9/é<&>'+ =Wz7 Secret!x`;
const inGo = JSON.stringify(password).replaceAll("&", "\\u0026").replaceAll("<", "\\u003c").replaceAll(">", "\\u003e");
const inASCII = JSON.stringify(password).replaceAll("é", "\\u00e9");
const line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";

test.each<[string, string]>([
  [inGo.slice(1, -1), "JSON of Go"],
  [inASCII.slice(1, -1), "JSON in ASCII"],
  [inASCII.slice(1, -1).replaceAll("\\", "\\\\"), "JSON in JSON"],
  [
    JSON.stringify(JSON.stringify(inGo).slice(3, -3)).slice(1, -1).replaceAll("/", "\\/"),
    "JSON in JSON in JSON, by PHP",
  ],
  [password.replaceAll("'", "\\'"), "repr of Python"],
  [password.replaceAll("é", "\\xc3\\xa9"), "…of bytes"],
  [password.replaceAll("'", "'\\''"), "the shell"],
  [password.replaceAll("'", "''"), "SQL"],
  [password.replaceAll("é", "Ã©"), "UTF-8 that is read as Latin-1"],
  [encodeURIComponent(encodeURIComponent(password)), "a URL in a URL"],
  [password.replaceAll(/[^ ]/gu, (one) => `&#${one.codePointAt(0)};`), "HTML by numbers"],
  [Buffer.from(password).toString("hex"), "hex"],
  [Buffer.from(password).toString("hex").toUpperCase(), "hex in capitals"],
  [(Buffer.from(password).toString("hex").match(/../g) ?? []).join(":"), "hex with colons"],
  [Buffer.from(`root:${password}`).toString("base64"), "base64 of more"],
  [password.toUpperCase(), "capitals"],
  [password.toLowerCase(), "small letters"],
  [password.slice(0, 16), "its first 16 characters"],
  [password.slice(0, -1), "all but its last character"],
  [`${password.slice(0, 16)}*******${password.slice(23)}`, "a part of it masked"],
])("of a password nothing is left in the form %j: %s", async (form) => {
  for (const scrub of [scrubFor(undefined, { root_pass: password }), scrubFor(password, undefined)]) {
    const clean = await scrub(`value ${form} is bad`);
    expect(clean).toMatch(/^value \(sensitive\)/);
    expect(clean).toMatch(/ is bad$/);
    expect(clean.replaceAll("(sensitive)", "")).not.toMatch(/zq|wz7|secret|5a71|%|&#/i);
  }
});

test.each([
  [line.slice(0, 40), "its first 40 characters"],
  [line.slice(20, 28), "eight characters of it"],
  [`${line.slice(0, 20)}\r\n ${line.slice(20)}`, "in other lines"],
])("of a line of a private key nothing is left in %j: %s", async (form, _because) => {
  const body = { private_key: `-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----` };
  expect(await scrubFor(undefined, body)(`bad ${form} here`)).toBe("bad (sensitive) here");
  expect(await scrubFor(undefined, body)("private_key: no private key")).toBe("private_key: no private key");
});

test.each([
  ["Rex-77", "\\u0052ex-77", "JSON"],
  ["a'b&c", "a\\'b\\u0026c", "a mixture"],
  ["ab\\", "ab\\", "no escape"],
  ["&amp;%41", "&amp;amp;%2541", "what is an escape itself"],
])("the short secret %s is found in %j: %s", async (secret, form, _because) => {
  expect(await scrubFor(undefined, { response: secret })(`bad ${form} here`)).toBe("bad (sensitive) here");
});

test("seven characters that are in a secret are left: they are found in any text", async () => {
  expect(await scrubFor(undefined, { root_pass: "too short for this" })("password: too shor")).toBe(
    "password: too shor",
  );
});

test.each([`%${"25".repeat(20_000)}`, `&${"amp;".repeat(20_000)}`, "\\".repeat(40_000), "a".repeat(40_000)])(
  "an answer of escapes in escapes, or of one word, holds nothing up: %#",
  async (text) => {
    expect(await scrubFor(text.slice(0, 4_000), undefined)(`bad ${text}`)).toMatch(/^bad \(sensitive\)/);
  },
);

test("fifty errors about the largest user data hold nothing up, and stay as they are", async () => {
  const data = Array.from({ length: 1_500 }, (_, index) => `line${index}: ${(index * 7_919) ** 3} ends`).join("\n");
  const body = { metadata: { user_data: Buffer.from(data).toString("base64") } };
  const texts = Array.from({ length: 50 }, (_, round) => `metadata.user_data: no such word in round ${round} of many`);
  expect(await scrubAll(undefined, body, texts)).toEqual(texts);
});

test.each(["as it is", "in capitals"])(
  "an echo, %s, of the largest user data in fifty errors with layers of escapes holds nothing up",
  async (how) => {
    const lines = Array.from({ length: 4_300 }, (_, index) =>
      ((index + 1) * 104_729 ** 2).toString(36).slice(-10).padStart(10, "z"),
    );
    const body = { metadata: { user_data: Buffer.from(lines.join("\n")).toString("base64") } };
    const echo = how === "as it is" ? lines.join("\n") : lines.join("\n").toUpperCase();
    const layers = `%${"25".repeat(8)}41`;
    const texts = Array.from({ length: 50 }, (_, round) => `${layers} ${echo.slice(round * 900, (round + 1) * 900)}`);
    const clean = await scrubAll(undefined, body, texts);
    expect(lines.filter((line) => clean.some((text) => text.toLowerCase().includes(line)))).toEqual([]);
    // What nobody would read is not looked through.
    expect(clean.at(-1)).toBe("…");
  },
);

test("a secret in the content type of a gateway's page is not shown", async () => {
  const server = await startServer((response) =>
    response
      .writeHead(403, { "content-type": `text/html; t=token-1; ${"y".repeat(70)}; x="Geheim-Aa1-geheim"` })
      .end("<html>"),
  );
  const { client } = clientFor(server.url);
  const { message } = await failureOf(client.send("POST", "/compute/instances", { root_pass: "Geheim-Aa1-geheim" }));
  expect(message).toContain("text/html");
  expect(message).not.toContain("Geh");
  expect(message).not.toContain("token-1");
});

test.each(["hunter2", "s3cret", "correcthorsebattery"])(
  "nothing is left of %s where so much of a response ends within it",
  async (secret) => {
    for (let cut = 1; cut < Math.min(secret.length, 8); cut += 1) {
      const before = ["x ".repeat(2_000), "y ".repeat(2_000).slice(0, 4_000 - 3 - cut)];
      const clean = await scrubAll(undefined, { root_pass: secret }, [...before, `is ${secret} bad`]);
      expect(clean.at(-1)).toBe("…");
    }
    const text = `${`${secret} `.repeat(4_000).slice(0, 3_997)} ${secret}`;
    expect(await scrubFor(undefined, { root_pass: secret })(text)).not.toContain(secret.slice(0, 2));
  },
);

test("nothing is left of a secret that another one is part of, where so much of a response ends within it", async () => {
  const before = ["x ".repeat(2_000), "y ".repeat(2_000).slice(0, 3_400)];
  const texts = [...before, `${"z ".repeat(297)}97AB01C bad`];
  const clean = await scrubAll(undefined, { root_pass: "B01", password: "97AB01C" }, texts);
  expect(clean.at(-1)).not.toContain("97");
});
