/** Answers of the cloud's API in memory. */
import type { Json } from "../../src/api/types.ts";
import type { ServiceAnswer } from "./service.ts";

export function ok(body: Json): ServiceAnswer {
  return { status: 200, body };
}

export function refuse(status: number, reason: string, field?: string): ServiceAnswer {
  return { status, body: { errors: [{ reason, ...(field !== undefined && { field }) }] } };
}
