/** What a bucket has beside its row: its certificate, its objects, and URLs that are signed for them. */
import { createHash } from "node:crypto";
import type { JsonObject } from "../../src/api/types.ts";
import type { CloudRow } from "./rows.ts";
import type { LedgerEntry } from "./dispatcher.ts";
import type { Service, ServiceAnswer, ServiceRequest } from "./service.ts";

/** Stands in each URL, before its number. */
export const signature = "s1gnature";

const list = "/object-storage/buckets";

/** An object of a bucket; `content` in base64. */
export interface Stored {
  content: string;
  acl: string;
}

/** The objects of a bucket, by name. */
export function storedIn({ beside }: CloudRow): Record<string, Stored> {
  beside["objects"] ??= {};
  return beside["objects"] as unknown as Record<string, Stored>;
}

/** The buckets of a cluster, or of its region; undefined for another path. */
export function bucketsIn({ rows }: Service, { path, user }: ServiceRequest): JsonObject[] | undefined {
  if (!path.startsWith(`${list}/`) || path.split("/").length !== 4) return undefined;
  const place = path.slice(list.length + 1);
  const all = rows.at(user.account, list).map(({ fields }) => fields);
  return all.filter((row) => row["cluster"] === place || row["region"] === place);
}

/** Undefined for what is no endpoint of a bucket. */
export function serveBucket(request: ServiceRequest, row: CloudRow, rest: string): ServiceAnswer | undefined {
  if (row.path !== list) return undefined;
  // Where a test wants another form of it.
  const { [rest]: shown } = row.beside;
  if (shown !== undefined && request.method === "GET" && rest !== "access") return ok(shown as JsonObject);
  if (rest === "ssl") return serveCertificate(request, row);
  if (rest === "object-list" && request.query.has("prefix"))
    return ok({ data: listed(request, row), is_truncated: false });
  if (rest === "object-acl") return serveACL(request, row);
  if (rest !== "object-url" || request.method !== "POST") return undefined;
  const { method = "GET", name = "" } = request.body as { method?: string; name?: string };
  const { store = "https://objects.test" } = row.beside;
  const url = `${store as string}/objects/${row.id}/${encodeURIComponent(name)}?for=${method}&${signature}=${request.entry}`;
  return ok({ url, exists: storedIn(row)[name] !== undefined });
}

/** A request to a pre-signed URL. */
export function serveStored({ rows }: Service, entry: LedgerEntry): ServiceAnswer {
  const [, , cluster = "", label = "", name = ""] = entry.path.split("/").map(decodeURIComponent);
  const row = rows.history().find(({ path, id, removed }) => path === list && id === `${cluster}/${label}` && !removed);
  if (!row) return { status: 404 };
  const objects = storedIn(row);
  if (row.stubborn && entry.method === "PUT") return { status: 200 };
  if (entry.method === "PUT") objects[name] = { content: entry.content ?? "", acl: "private" };
  if (entry.method === "DELETE") delete objects[name];
  const { contents = [] } = row.beside as { contents?: string[] };
  if (entry.method === "DELETE") row.beside["contents"] = contents.filter((one) => one !== name);
  entry.applied = true;
  return { status: entry.method === "DELETE" ? 204 : 200 };
}

function listed({ query }: ServiceRequest, row: CloudRow): JsonObject[] {
  const prefix = query.get("prefix") ?? "";
  return Object.entries(storedIn(row))
    .filter(([name]) => name.startsWith(prefix))
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { content }]) => {
      const etag = createHash("md5").update(Buffer.from(content, "base64")).digest("hex");
      return { name, etag, size: content.length, last_modified: "2026-01-01T00:00:00Z", owner: "demo" };
    });
}

function serveACL({ method, query, body }: ServiceRequest, row: CloudRow): ServiceAnswer {
  const { name = query.get("name") ?? "", acl } = body as { name?: string; acl?: string };
  const stored = storedIn(row)[name];
  if (!stored) return { status: 404, body: { errors: [{ reason: "Not found" }] } };
  if (method === "PUT" && acl !== undefined) stored.acl = acl;
  return ok({ acl: stored.acl, acl_xml: "" });
}

function serveCertificate({ method, body }: ServiceRequest, { beside }: CloudRow): ServiceAnswer {
  if (method === "POST" && beside["certificate"])
    return { status: 400, body: { errors: [{ reason: "The bucket has a certificate: delete it first" }] } };
  if (method === "POST") beside["certificate"] = { ...body };
  if (method === "DELETE") delete beside["certificate"];
  return ok(method === "DELETE" ? {} : { ssl: beside["certificate"] !== undefined });
}

function ok(body: JsonObject): ServiceAnswer {
  return { status: 200, body };
}
