/** Tags and the objects that carry them. */
import { ok, paged } from "./answers.ts";
import { text } from "./collections.ts";
import type { CloudRow } from "./rows.ts";
import type { Service, ServiceAnswer, ServiceRequest } from "./service.ts";

/** Collections whose rows carry tags, by the type of a tagged object. */
const collections = {
  compute: "/compute/instances",
  domain: "/domains",
  reserved_ipv4_address: "/networking/ips",
} as const;

/** Types that the service shows without an ID. */
const unnumbered = { reserved_ipv4_address: true };

/** Answers what concerns the carriers of a tag; undefined for what only concerns the row of the tag itself. */
export function serveTags(service: Service, request: ServiceRequest): ServiceAnswer | undefined {
  const { method, path, user } = request;
  const [, label] = /^\/tags\/([^/]+)$/.exec(decodeURIComponent(path)) ?? [];
  if (path === "/tags" && method === "POST") return addTag(service, request, existingLabel(service, request));
  if (label === undefined || !service.rows.find(user.account, "/tags", label)) return undefined;
  const carriers = Object.entries(collections).flatMap(([type, list]) =>
    service.rows.at(user.account, list).flatMap((row) => (tagsOf(row).includes(label) ? [{ type, row }] : [])),
  );
  if (method === "GET")
    return paged(
      carriers.map(({ type, row: { fields } }) => ({ type, data: type in unnumbered ? withoutId(fields) : fields })),
      request.query,
    );
  for (const { row } of carriers) {
    request.touch(row);
    row.fields["tags"] = tagsOf(row).filter((one) => one !== label);
  }
  return undefined;
}

/** Returns the label of the request in the case in which the tag exists. The service compares tags without regard to case. */
function existingLabel({ rows }: Service, { body, user }: ServiceRequest): string {
  const asked = text(body["label"]);
  const labels = rows.at(user.account, "/tags").map(({ fields }) => text(fields["label"]));
  return labels.find((label) => label.toLowerCase() === asked.toLowerCase()) ?? asked;
}

function addTag({ rows }: Service, { body, user, touch }: ServiceRequest, label: string): ServiceAnswer | undefined {
  for (const [type, list] of Object.entries(collections))
    for (const id of (body[`${type}s`] ?? []) as number[]) {
      const row = rows.find(user.account, list, String(id));
      if (!row) continue;
      touch(row);
      row.fields["tags"] = [...new Set([...tagsOf(row), label])];
    }
  for (const type of Object.keys(collections)) delete body[`${type}s`];
  return rows.find(user.account, "/tags", label) && ok({ label });
}

function withoutId(fields: CloudRow["fields"]): CloudRow["fields"] {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name !== "id"));
}

function tagsOf({ fields }: CloudRow): string[] {
  return (fields["tags"] ?? []) as string[];
}
