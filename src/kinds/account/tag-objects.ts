/** The objects that carry a tag: part 3, sections 2.5 and 4.5; not-shown, section 6. */
import * as z from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call, ReleaseTools } from "../../core/kind/call.ts";
import { Invalid } from "../../core/kind/outcome.ts";
import type { Manager } from "../../core/kind/live.ts";
import type { Resolved } from "../../core/kind/reference.ts";
import type { NamedReference } from "../../core/kind/schema.ts";
import { whole } from "../wire.ts";

/** What a spec says of the objects that carry the tag; what it leaves out is not managed. */
export interface TagSpec {
  instanceRefs?: NamedReference[] | undefined;
  domainRefs?: NamedReference[] | undefined;
  volumeIDs?: number[] | undefined;
  nodeBalancerIDs?: number[] | undefined;
}

/** An object that carries the tag; a firewall carries tags, too, and no list of tagged objects shows it. */
export interface Carrier {
  type: string;
  id: number;
  tags: string[];
}

type ManagerOf = (collection: string, id: string) => Manager | undefined;

const tagged = z.array(
  z.object({ type: z.string(), data: z.object({ id: whole(), tags: z.array(z.string()).nullish() }) }),
);

/** Where the objects are whose tags can be set, by the word of the list of tagged objects. */
const collections: Record<string, string> = { compute: "/compute/instances", domain: "/domains" };

export function carriersIn(answer: Json | undefined): Carrier[] {
  const rows = tagged.parse(answer ?? []);
  return rows.map(({ type, data }) => ({ type, id: data.id, tags: data.tags ?? [] }));
}

/** The identifiers of what a spec refers to. One that says its own tags has them from there alone. */
export function taggable(field: string, refs: Resolved[] | undefined): number[] | undefined {
  refs?.forEach(({ name, spec }, index) => {
    if (spec?.["tags"] === undefined) return;
    const why = `${name} sets its own tags in spec.tags. Nothing is tagged. Add the tag there and remove ${name} from this list, or remove its spec.tags`;
    throw new Invalid(`spec.${field}[${index}]`, why);
  });
  return refs && [...new Set(refs.map(({ id }) => Number(id)))];
}

/** One request tags all that lack it; each of those that should not carry it gets its other tags set. */
export function tagCalls(
  label: string,
  wanted: Record<string, number[] | undefined>,
  { carriers, managerOf }: { carriers: Carrier[]; managerOf: ManagerOf },
): Call[] {
  const lacking = Object.entries(wanted).flatMap(([field, ids = []]) => {
    const missing = ids.filter((id) => !carriers.some((one) => `${one.type}s` === field && one.id === id));
    return missing.length === 0 ? [] : [[field, missing] as const];
  });
  const note = `tagged: ${lacking.map(([field, ids]) => `${field} ${ids.join(", ")}`).join("; ")}`;
  const body: JsonObject = { label, ...Object.fromEntries(lacking) };
  const surplus = carriers.filter((one) => {
    const ids = wanted[`${one.type}s`];
    return ids !== undefined && !ids.includes(one.id) && !saysTags(one, managerOf);
  });
  return [
    ...(lacking.length === 0 ? [] : [{ method: "POST" as const, path: "/tags", body, action: "Tag", note }]),
    ...surplus.flatMap((one) => untag(label, one) ?? []),
  ];
}

/**
 * Takes the tag off the objects that the spec lists, where others carry it, and answers why it stays. Where all that carry
 * it are listed, nothing is sent: the deletion of the tag takes it off them.
 */
export async function releaseTag(
  label: string,
  spec: TagSpec,
  { carriers, managerOf, send }: { carriers: Carrier[]; managerOf: ManagerOf; send: ReleaseTools["send"] },
): Promise<string | undefined> {
  const others = carriers.filter((one) => !isListed(spec, one, managerOf));
  if (others.length === 0) return undefined;
  for (const one of carriers) {
    const call = others.includes(one) ? undefined : untag(label, one);
    if (call) await send(call);
  }
  const shown = others.slice(0, 5).map(({ type, id }) => `${type} ${id}`);
  return `cloud objects that this object does not list have it too: ${shown.join(", ")}`;
}

/** All that carry the tag. */
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

/** The request that leaves an object its other tags; none where the API has no such request. */
function untag(label: string, { type, id, tags }: Carrier): Call | undefined {
  const { [type]: collection } = collections;
  if (collection === undefined) return undefined;
  const body = { tags: tags.filter((tag) => tag !== label) };
  const path = `${collection}/${id}`;
  // The request replaces all tags: those that were added since the list was read must not get lost.
  const expects = { path, shows: { tags } };
  return { method: "PUT", path, body, action: "Untag", note: `untagged: ${type} ${id}`, expects };
}

function managerIn({ type, id }: Carrier, managerOf: ManagerOf): Manager | undefined {
  const { [type]: collection } = collections;
  return collection === undefined ? undefined : managerOf(collection, String(id));
}

function saysTags(carrier: Carrier, managerOf: ManagerOf): boolean {
  return managerIn(carrier, managerOf)?.spec["tags"] !== undefined;
}

function isListed(spec: TagSpec, carrier: Carrier, managerOf: ManagerOf): boolean {
  const { type, id } = carrier;
  const ids = { volume: spec.volumeIDs, nodebalancer: spec.nodeBalancerIDs }[type];
  if (ids) return ids.includes(id);
  const refs = { compute: spec.instanceRefs, domain: spec.domainRefs }[type] ?? [];
  const manager = managerIn(carrier, managerOf);
  if (manager?.spec["tags"] !== undefined) return false;
  return refs.some((ref) => ref.id === String(id) || (manager?.isNear === true && ref.name === manager.name));
}
