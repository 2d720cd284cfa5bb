/** The objects that carry a tag: part 3, sections 2.5 and 4.5; not-shown, section 6. */
import * as z from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call, ReleaseTools } from "../../core/kind/call.ts";
import { Invalid } from "../../core/kind/outcome.ts";
import type { Manager } from "../../core/kind/live.ts";
import type { Resolved } from "../../core/kind/reference.ts";
import { whole } from "../wire.ts";

/**
 * A cloud object with the tag. The list of tagged objects does not contain firewalls, although firewalls have tags. Newer
 * types, such as a reserved address, have no ID: a Tag never tags or untags such an object.
 */
export interface Carrier {
  type: string;
  id: number | undefined;
  tags: string[];
}

type ManagerOf = (collection: string, id: string) => Manager | undefined;

/** Types of cloud objects that a Tag tags, in the words of the list of tagged objects. */
const types = ["compute", "domain", "volume", "nodebalancer"] as const;

const data = z.object({ id: whole().nullish(), tags: z.array(z.string()).nullish() });

// An object of `types` without an ID would look like an object without the tag.
const tagged = z.array(
  z
    .object({ type: z.string(), data })
    .refine((row) => typeof row.data.id === "number" || !types.some((type) => type === row.type), {
      error: "has no id",
    }),
);

/** Collections by type. The API can set the tags of their objects. */
const collections: Record<string, string> = { compute: "/compute/instances", domain: "/domains" };

const nouns: Record<string, string> = { compute: "instance", nodebalancer: "NodeBalancer" };

function nounOfType(type: string): string {
  return nouns[type] ?? type;
}

export function carriersIn(answer: Json | undefined): Carrier[] {
  const rows = tagged.parse(answer ?? []);
  return rows.map(({ type, data: { id, tags } }) => ({ type, id: id ?? undefined, tags: tags ?? [] }));
}

/** Returns the IDs of the references. Throws `Invalid` if a referenced object sets its own tags in spec.tags. */
export function taggable(field: string, refs: Resolved[] | undefined): number[] | undefined {
  refs?.forEach(({ name, spec }, index) => {
    if (spec?.["tags"] === undefined) return;
    const why = `${name} sets its own tags in spec.tags. The operator tags nothing. Add the tag there and remove ${name} from this list, or remove its spec.tags`;
    throw new Invalid(`spec.${field}[${index}]`, why);
  });
  return refs && [...new Set(refs.map(({ id }) => Number(id)))];
}

interface Objects {
  spec: { volumeIDs?: number[] | undefined; nodeBalancerIDs?: number[] | undefined };
  refs: { instanceRefs?: Resolved[] | undefined; domainRefs?: Resolved[] | undefined };
}

/** Returns the objects in a spec, by body field of a creation. */
export function objectsOf({ spec, refs }: Objects) {
  return {
    computes: taggable("instanceRefs", refs.instanceRefs),
    domains: taggable("domainRefs", refs.domainRefs),
    volumes: spec.volumeIDs,
    nodebalancers: spec.nodeBalancerIDs,
  };
}

/** IDs by field of a spec or of a creation. */
type Wanted = Record<string, number[] | undefined>;

/** IDs of the objects to which a Tag added the tag, by type. The record contains the texts. */
export type Additions = Record<string, string>;

/** Returns the record of the objects that a creation tags. */
export function addedBy(wanted: Wanted): Additions {
  return Object.fromEntries(types.map((type) => [type, (wanted[`${type}s`] ?? []).join(",")]));
}

/** Returns the record without objects that lost the tag and are not listed. Another user may tag such an object later. */
export function stillAdded(added: Additions | undefined, carriers: Carrier[], wanted: Wanted): Additions {
  const known = Object.entries(idsIn(added)).filter(([type]) => added?.[type] !== undefined);
  const isKept = (type: string, id: number): boolean =>
    wanted[`${type}s`]?.includes(id) === true || carriers.some((one) => isIt(one, type, id));
  return recordOf(Object.fromEntries(known.map(([type, ids]) => [type, ids.filter((id) => isKept(type, id))])));
}

/**
 * Returns the requests. One request adds the tag to all listed objects without the tag. For each object that the spec no
 * longer lists, a request removes the tag, if the Tag added the tag.
 */
export function tagCalls(
  label: string,
  wanted: Wanted,
  { carriers, managerOf, added }: { carriers: Carrier[]; managerOf: ManagerOf; added: Additions | undefined },
): Call[] {
  const lacking = types.flatMap((type) => {
    const ids = wanted[`${type}s`] ?? [];
    const missing = ids.filter((id) => !carriers.some((one) => isIt(one, type, id)));
    return missing.length === 0 ? [] : [{ type, missing }];
  });
  const own = idsIn(added);
  const surplus = carriers.filter((one) => {
    const ids = wanted[`${one.type}s`];
    return (
      ids !== undefined &&
      one.id !== undefined &&
      !ids.includes(one.id) &&
      isAdded(own, one) &&
      !saysTags(one, managerOf)
    );
  });
  for (const { type, missing } of lacking) own[type] = [...new Set([...(own[type] ?? []), ...missing])];
  const claims = recordOf(own);
  const note = `tags ${lacking.map(({ type, missing }) => `${nounOfType(type)} ${missing.join(", ")}`).join("; ")}`;
  const body: JsonObject = { label, ...Object.fromEntries(lacking.map(({ type, missing }) => [`${type}s`, missing])) };
  return [
    ...(lacking.length === 0
      ? []
      : [{ method: "POST" as const, path: "/tags", body, action: "Tag", note, changes: taggedIn(lacking), claims }]),
    ...surplus.flatMap((one) => {
      const call = untag(label, one);
      if (!call) return [];
      own[one.type] = (own[one.type] ?? []).filter((id) => id !== one.id);
      return [{ ...call, applies: recordOf(own) }];
    }),
  ];
}

/**
 * Removes the tag from the objects to which this Tag added the tag, and returns why the tag stays: further objects have the
 * tag. Without further objects, sends nothing, because the deletion of the tag removes the tag from all objects.
 */
export async function releaseTag(
  label: string,
  { carriers, added, send }: { carriers: Carrier[]; added: Additions | undefined; send: ReleaseTools["send"] },
): Promise<string | undefined> {
  const own = idsIn(added);
  const others = carriers.filter((one) => !isAdded(own, one));
  if (others.length === 0) return undefined;
  for (const one of carriers) {
    const call = others.includes(one) ? undefined : untag(label, one);
    if (call) await send(call);
  }
  const which = others.length === 1 ? "1 cloud object has" : `${others.length} cloud objects have`;
  return `${which} the tag, and this object did not add it there`;
}

/** Names of the lists of a spec, by type. */
const listNames: Record<string, string> = {
  compute: "instanceRefs",
  domain: "domainRefs",
  volume: "volumeIDs",
  nodebalancer: "nodeBalancerIDs",
};

function taggedIn(lacking: { type: string; missing: number[] }[]) {
  return lacking.map(({ type, missing }) => ({ field: listNames[type] ?? type, observed: [], desired: missing }));
}

function isIt({ type, id }: Carrier, ofType: string, wanted: number): boolean {
  return type === ofType && id === wanted;
}

function isAdded(own: Record<string, number[]>, { type, id }: Carrier): boolean {
  return id !== undefined && own[type]?.includes(id) === true;
}

function idsIn(added: Additions | undefined): Record<string, number[]> {
  return Object.fromEntries(types.map((type) => [type, (added?.[type] ?? "").split(",").filter(Boolean).map(Number)]));
}

function recordOf(own: Record<string, number[]>): Additions {
  return Object.fromEntries(Object.entries(own).map(([type, ids]) => [type, ids.join(",")]));
}

/** Returns all objects with the tag. */
export async function readCarriers(label: string, get: ReleaseTools["get"]): Promise<Carrier[]> {
  const firewalls = z.array(z.object({ id: whole(), tags: z.array(z.string()).nullish() }));
  const marked = firewalls.parse(await pages(get, "/networking/firewalls")).filter(({ tags }) => tags?.includes(label));
  const listed = carriersIn(await pages(get, tagPath(label)));
  return [...listed, ...marked.map(({ id, tags }) => ({ type: "firewall", id, tags: tags ?? [] }))];
}

export function tagPath(label: string): string {
  return `/tags/${encodeURIComponent(label)}`;
}

const page = z.object({ data: z.array(z.json()), pages: whole() });

async function pages(get: ReleaseTools["get"], path: string): Promise<Json[]> {
  const all: Json[] = [];
  for (let number = 1, last = 1; number <= last; number += 1) {
    const { data, pages: count } = page.parse(await get(`${path}?page=${number}&page_size=500`));
    all.push(...(data as Json[]));
    last = count;
  }
  return all;
}

/** Returns the request that removes only the tag from an object. Undefined if the API cannot set the tags of the type. */
function untag(label: string, { type, id, tags }: Carrier): Call | undefined {
  const { [type]: collection } = collections;
  if (collection === undefined || id === undefined) return undefined;
  const body = { tags: tags.filter((tag) => tag !== label) };
  const path = `${collection}/${id}`;
  // The request replaces all tags. Tags that a user added after the read of the list must not get lost.
  const expects = { path, shows: { tags } };
  const changes = [{ field: listNames[type] ?? type, observed: [id], desired: [] }];
  return {
    method: "PUT",
    path,
    body,
    action: "Untag",
    note: `removes the tag of ${nounOfType(type)} ${id}`,
    changes,
    expects,
  };
}

function managerIn({ type, id }: Carrier, managerOf: ManagerOf): Manager | undefined {
  const { [type]: collection } = collections;
  return collection === undefined ? undefined : managerOf(collection, String(id));
}

function saysTags(carrier: Carrier, managerOf: ManagerOf): boolean {
  return managerIn(carrier, managerOf)?.spec["tags"] !== undefined;
}
