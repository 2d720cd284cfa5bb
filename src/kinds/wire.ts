import * as z from "zod";
import type { Json } from "../api/types.ts";
import type { Readiness } from "../core/kind/call.ts";

/** A whole number of a row, which a service may write as text. */
export function whole() {
  return z.preprocess((value) => (isNumberText(value) ? Number(value) : value), z.int());
}

/** The rows of a list as far as they can be read; none of what is no list. */
export function readable<Row extends z.ZodType>(row: Row, list: Json | undefined): z.output<Row>[] {
  return (Array.isArray(list) ? list : []).flatMap((one) => row.safeParse(one).data ?? []);
}

/** A status that does not say that all is well, which may be one that newer versions of the service have. */
export function inStatus(status: string): Extract<Readiness, { ready: false }> {
  const message = `the cloud API reports the status ${JSON.stringify(status.slice(0, 64))}`;
  return { ready: false, reason: "Busy", message, afterMs: 60_000 };
}

function isNumberText(value: unknown): boolean {
  return typeof value === "string" && /^-?\d{1,15}$/.test(value);
}
