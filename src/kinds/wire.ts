import * as z from "zod";
import type { Json } from "../api/types.ts";
import type { Readiness } from "../core/kind/call.ts";

/** Reads a whole number of a row. A service can write a number as text. */
export function whole() {
  return z.preprocess((value) => (isNumberText(value) ? Number(value) : value), z.int());
}

/** Returns the readable rows of a list. Returns no rows if the value is not a list. */
export function readable<Row extends z.ZodType>(row: Row, list: Json | undefined): z.output<Row>[] {
  return (Array.isArray(list) ? list : []).flatMap((one) => row.safeParse(one).data ?? []);
}

/** Reports a status that is neither healthy nor known here, such as a status of a newer version of the service. */
export function inStatus(status: string): Extract<Readiness, { ready: false }> {
  const message = `the cloud API reports the status ${JSON.stringify(status.slice(0, 64))}`;
  return { ready: false, reason: "Busy", message, afterMs: 60_000 };
}

function isNumberText(value: unknown): boolean {
  return typeof value === "string" && /^-?\d{1,15}$/.test(value);
}
