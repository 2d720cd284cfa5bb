/** The forms in which a response may repeat a secret. */
import { shortestRun } from "./runs.ts";
import { withoutEscapes } from "./reading.ts";
import { sliceCost } from "./slices.ts";
import type { Sliced } from "./slices.ts";
import type { Json } from "./types.ts";

/** Keys whose values never appear in a log, an event or an error. */
const SECRET_KEYS = new Set([
  "authorized_keys",
  "otp",
  "otp_code",
  "password",
  "private_key",
  "response",
  "root_pass",
  "secret_key",
  "stackscript_data",
  "user_data",
]);

export function secretsIn(value: Json, secret = false): string[] {
  if (typeof value === "string" || typeof value === "number") return secret ? [String(value)] : [];
  if (Array.isArray(value)) return value.flatMap((item) => secretsIn(item, secret));
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, inner]) => secretsIn(inner, secret || SECRET_KEYS.has(key)));
}

export interface SecretForms {
  /** The secret and the text that it is the base64 of, such as user data. */
  texts: string[];
  /** The texts, the lines, and the values on the lines, with and without escapes. */
  whole: string[];
  /** Forms of one line. Each run of a line is secret, too. */
  lines: string[];
}

export function* formsOf(secret: string): Sliced<SecretForms> {
  const texts = [secret, decodedText(secret) ?? ""].filter((text) => text !== "");
  const whole = new Set<string>();
  const lines = new Set<string>();
  let cost = 2 * secret.length;
  for (const text of texts)
    for (const { form, isPart } of formsIn(text)) {
      const plain = yield* withoutEscapes(form);
      for (const one of [form, plain]) {
        whole.add(one);
        // The line of a part has all runs of the part.
        if (!isPart && !one.includes("\n")) lines.add(one);
      }
      cost += costOfForm + form.length;
      if (cost < sliceCost) continue;
      yield cost;
      cost = 0;
    }
  yield cost;
  return { texts, whole: [...whole], lines: [...lines] };
}

/** Cost of a form besides the cost of the characters. */
const costOfForm = 64;

interface Form {
  form: string;
  isPart: boolean;
}

function* formsIn(text: string): Iterable<Form> {
  yield { form: text, isPart: false };
  yield { form: text.trim(), isPart: true };
  yield* linesOf(text);
}

/** Returns the decoded text of a secret in base64, such as user data, or undefined for other secrets. */
function decodedText(secret: string): string | undefined {
  const bytes = Buffer.from(secret, "base64");
  if (bytes.length < shortestRun || bytes.toString("base64") !== secret) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return CONTROL.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Control characters that text does not contain. */
const CONTROL = /[^\P{Cc}\t\r\n]/u;

/**
 * Yields the lines of a text and the values on the lines: a program that checks user data names a line or a value. A
 * comment may contain a former password, and counts as a line. The function omits lines that contain no secret and help
 * the user: a first line with the format (`#cloud-config`, `#!/bin/sh`), a line with only the name of a field
 * (`write_files:`), and the first and the last line of a PEM block.
 */
function* linesOf(text: string): Iterable<Form> {
  let isFirst = true;
  for (const raw of text.split("\n")) {
    const line = raw.trim();
    const isFormat = isFirst && /^#(!.*|[a-z-]+)$/.test(line);
    isFirst = false;
    if (isFormat || line.length < shortestRun) continue;
    if (/^(- )?[a-z_]+:$|^-----(BEGIN|END) [A-Z ]+-----$/.test(line)) continue;
    yield { form: line, isPart: false };
    const value = valueOn(line);
    if (value.length >= shortestRun) yield { form: value, isPart: true };
  }
}

/** Returns the value on a line of YAML, of a script or of settings, without quotes; "" if the line names no field. */
function valueOn(line: string): string {
  const [head = ""] = /^(?:- |export )?[\w."'][\w."'-]*/.exec(line) ?? [];
  const rest = line.slice(head.length).trimStart();
  if (head === "" || (rest[0] !== ":" && rest[0] !== "=")) return "";
  const value = rest.slice(1).trimStart();
  // A carriage return ends a line, too.
  return /[\r\u2028\u2029]/.test(value) ? "" : value.replaceAll(/^["']|["']$/g, "");
}
