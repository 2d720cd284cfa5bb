/** What a bucket has beside its row: its certificate, and URLs that are signed for its objects. */
import type { JsonObject } from "../../src/api/types.ts";
import type { CloudRow } from "./rows.ts";
import type { ServiceAnswer, ServiceRequest } from "./service.ts";

/** Undefined for what is no endpoint of a bucket. */
export function serveBucket(
  { method, body, entry }: ServiceRequest,
  row: CloudRow,
  rest: string,
): ServiceAnswer | undefined {
  if (row.path !== "/object-storage/buckets") return undefined;
  if (rest === "ssl") return serveCertificate(method, body, row);
  if (rest !== "object-url" || method !== "POST") return undefined;
  const { method: signed = "GET", name = "" } = body as { method?: string; name?: string };
  const url = `https://objects.test/${row.id}/${encodeURIComponent(name)}?for=${signed}&${signature}=${entry}`;
  return { status: 200, body: { url, exists: false } };
}

/** Stands in each URL, before its number. */
export const signature = "s1gnature";

function serveCertificate(method: string, body: JsonObject, { beside }: CloudRow): ServiceAnswer {
  if (method === "POST" && beside["certificate"])
    return { status: 400, body: { errors: [{ reason: "The bucket has a certificate: delete it first" }] } };
  if (method === "POST") beside["certificate"] = { ...body };
  if (method === "DELETE") delete beside["certificate"];
  return { status: 200, body: method === "DELETE" ? {} : { ssl: beside["certificate"] !== undefined } };
}
