import type { Clock } from "../queue/clock.ts";
import type { Brand } from "./brand.ts";
import { HttpError, type FieldError } from "./errors.ts";
import type { Answer } from "./http.ts";
import { mostParsedAtOnce, parsedList } from "./list-text.ts";
import type { Scrub } from "./scrub.ts";
import { inSlices } from "./slices.ts";
import type { Json, JsonObject } from "./types.ts";

export interface Context {
  method: string;
  path: string;
  brand: Brand;
  scrub: Scrub;
  clock: Clock;
  /** The response is a page of a list. */
  paged: boolean;
}

/**
 * Returns the JSON of a successful response, with the brand translated; `undefined` for 204. Throws `HttpError`
 * otherwise.
 *
 * Trusts a 4xx response only if the body is an error of the API (part 1, section 7). The 404 page of a gateway must not
 * look like a deleted resource. The error for such a page has no status. A 429 is always trusted, because a gateway may
 * send Retry-After.
 */
export async function readAnswer(answer: Answer, context: Context): Promise<Json | undefined> {
  const { status } = answer;
  if (status === 204) return undefined;
  const isGood = status >= 200 && status < 300;
  if (isGood && context.paged && answer.text.length > mostParsedAtOnce && saysJson(answer)) {
    const list = await readLargeList(answer, context);
    if (list === undefined) throw await notTheApi(answer, context);
    return list;
  }
  const json = parse(answer);
  if (isGood) {
    if (json === undefined) throw await notTheApi(answer, context);
    return context.brand.fromWire(json, context.path);
  }
  const errors = await fieldErrors(json, context);
  if (status >= 400 && status < 500 && status !== 429 && errors === undefined) throw await notTheApi(answer, context);
  throw failure(answer, errors ?? [], context);
}

async function readLargeList({ text }: Answer, { path, brand, clock }: Context): Promise<Json | undefined> {
  try {
    return await inSlices(
      clock,
      parsedList(text, (value) => brand.fromWire(value, path)),
    );
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const name = pathOnly(path);
    throw new HttpError(`got a list of an unexpected form: the list ${error.message}`, {
      method: "GET",
      path: name,
      outcome: "ambiguous",
    });
  }
}

/** Longest wait that a header can cause, milliseconds. A longer value is probably a mistake. */
export const longestHeldMs = 3_600_000;

/**
 * Returns the wait of a `Retry-After` header (seconds or a date) in milliseconds, measured from the `Date` of the
 * response. Returns `undefined` without a positive wait: the caller then retries with backoff.
 */
export function retryAfterMs({ headers }: Answer): number | undefined {
  const value = headers["retry-after"];
  if (typeof value !== "string") return undefined;
  const isSeconds = /^\d+$/.test(value.trim());
  const wait = isSeconds ? Number(value) * 1_000 : Date.parse(value) - Date.parse(String(headers.date));
  return wait > 0 ? Math.min(longestHeldMs, wait) : undefined;
}

const MAX_ERRORS = 50;

/** Characters of an error text to translate. The scrub shows fewer. */
const LONGEST_TEXT = 8_000;

function failure(answer: Answer, errors: FieldError[], { method, path }: Context): HttpError {
  const { status } = answer;
  const reasons = errors.map(({ field, reason }) => (field === null ? reason : `${field}: ${reason}`));
  const wait = retryAfterMs(answer);
  return new HttpError(`got status ${status}${reasons.length > 0 ? `: ${reasons.join("; ")}` : ""}`, {
    method,
    path: pathOnly(path),
    status,
    errors,
    outcome: status >= 400 && status < 500 && status !== 408 ? "refused" : "ambiguous",
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

async function notTheApi({ status, headers }: Answer, { method, path, scrub }: Context): Promise<HttpError> {
  const [type = ""] = await scrub([String(headers["content-type"] ?? "no content type")]);
  const what = `got status ${status} in a response that is not from the cloud API (${type.slice(0, 100)})`;
  return new HttpError(what, { method, path: pathOnly(path), outcome: "ambiguous" });
}

/** Returns true if the content type is JSON. */
export function saysJson({ headers }: Answer): boolean {
  return String(headers["content-type"] ?? "")
    .toLowerCase()
    .includes("json");
}

/** Returns undefined for a body that is not JSON. Drops the error of the parser, which quotes the body. */
function parse(answer: Answer): Json | undefined {
  if (answer.headers["content-type"] !== undefined && !saysJson(answer)) return undefined;
  try {
    return JSON.parse(answer.text) as Json;
  } catch {
    return undefined;
  }
}

/** Returns undefined if the body is not an error body of the API. */
async function fieldErrors(json: Json | undefined, { brand, scrub }: Context): Promise<FieldError[] | undefined> {
  const errors = isObject(json) ? json["errors"] : undefined;
  if (!Array.isArray(errors)) return undefined;
  const shown = errors.filter(isObject).slice(0, MAX_ERRORS);
  const texts = shown.flatMap(({ field, reason }) => [
    typeof field === "string" ? brand.field(field.slice(0, LONGEST_TEXT)) : "",
    brand.reason(typeof reason === "string" ? reason.slice(0, LONGEST_TEXT) : "no reason given"),
  ]);
  const clean = await scrub(texts);
  return shown.map(({ field }, index) => ({
    field: typeof field === "string" ? (clean[2 * index] ?? null) : null,
    reason: clean[2 * index + 1] ?? "",
  }));
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function pathOnly(path: string): string {
  return path.split("?")[0] ?? "";
}
