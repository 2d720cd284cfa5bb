/** Answers of the cloud's API in memory. */
import type { Json, JsonObject } from "../../src/api/types.ts";
import type { ServiceAnswer } from "./service.ts";

export function ok(body: Json): ServiceAnswer {
  return { status: 200, body };
}

export function refuse(status: number, reason: string, field?: string): ServiceAnswer {
  return { status, body: { errors: [{ reason, ...(field !== undefined && { field }) }] } };
}

/** One page of a list. */
export function paged(all: JsonObject[], query: URLSearchParams): ServiceAnswer {
  const page = Number(query.get("page") ?? 1);
  const size = Number(query.get("page_size") ?? 100);
  const pages = Math.max(1, Math.ceil(all.length / size));
  return ok({ data: all.slice((page - 1) * size, page * size), page, pages, results: all.length });
}
