/** Shared addresses of an instance: in the rows of the cloud, and in the two lists of a spec. */
import * as z from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Resolved } from "../../core/kind/reference.ts";
import type { FindExported } from "../../core/kind/export-part.ts";
import { addressOf } from "./address-ref.ts";
import { referencesAmong } from "./exported-refs.ts";
import { canonical } from "./address.ts";

const held = z.object({
  ipv4: z.object({ shared: z.array(z.object({ address: z.string() })).nullish() }).nullish(),
  ipv6: z
    .object({
      slaac: z.object({ address: z.string() }).nullish(),
      global: z.array(z.object({ range: z.string(), route_target: z.string().nullish() })).nullish(),
    })
    .nullish(),
});

type Shared = { addresses?: string[]; addressRefs?: unknown[] };
type Referred = { addressRefs?: Resolved[] | undefined };

function referred({ addressRefs = [] }: Referred): string[] {
  return addressRefs.map((one) => canonical(addressOf(one)));
}

/** Returns all addresses of a spec: the values, and the addresses of the references. */
export function wantedIn(addresses: string[], refs: Referred): string[] {
  return [...new Set([...addresses.map(canonical), ...referred(refs)])].toSorted();
}

type Applied = Record<string, string> | undefined;

/** Name of the addresses of references in the record. */
const record = "shared";

/** Returns the addresses that the operator shared for references. */
export function ownIn(applied: Applied): string[] {
  return (applied?.[record] ?? "").split(",").filter((one) => one !== "");
}

/** Returns the shared addresses that a spec without `addresses` does not manage. */
export function unmanaged(applied: Applied, { addressRefs }: Referred, there: string[]): string[] {
  const own = addressRefs === undefined ? [] : ownIn(applied);
  return there.filter((one) => !own.includes(one));
}

/** Returns the record of the addresses of references, for the time before and after the request. */
export function additionsIn(applied: Applied, refs: Referred) {
  const added = referred(refs);
  const claimed = [...new Set([...ownIn(applied), ...added])];
  return { claims: { [record]: claimed.join(",") }, applies: { [record]: added.join(",") } };
}

/** Returns the record without addresses that the instance no longer shares. */
export function addedSince(applied: Applied, there: string[]): Record<string, string> {
  if (applied?.[record] === undefined) return {};
  return {
    [record]: ownIn(applied)
      .filter((one) => there.includes(one))
      .join(","),
  };
}

/** Returns the field of the spec for an index (`[1]`) of the sent list. Without an index, returns the first list with entries. */
export function sharedAt({ spec, refs }: { spec: Shared; refs: Referred }, [index = ""]: string[]): string | undefined {
  const { addresses = [] } = spec;
  const sent = wantedIn(addresses, refs)[Number.parseInt(index.slice(1), 10)];
  const lists = { addresses, addressRefs: referred(refs) };
  for (const [name, list] of Object.entries(lists)) {
    const at = list.findIndex((one) => canonical(one) === sent);
    if (at >= 0) return `${name}[${at}]`;
  }
  return (["addresses", "addressRefs"] as const).find((name) => spec[name]?.length);
}

/** Returns the shared addresses of the instance, without the addresses of the references. */
export function addressesIn(
  { spec, refs }: { spec: { addresses?: string[] | undefined }; refs: Referred },
  current: Json,
): JsonObject {
  const addresses = sharedIn(current).filter((one) => !referred(refs).includes(one));
  return addresses.length > 0 || spec.addresses ? { addresses } : {};
}

/** Returns the shared addresses, and the usable ranges that the cloud does not route to the instance itself. */
export function sharedIn(answer: Json | undefined): string[] {
  const { ipv4, ipv6 } = held.parse(answer);
  const own = ipv6?.slaac && canonical(ipv6.slaac.address);
  const ranges = (ipv6?.global ?? []).filter(({ route_target: to }) => !to || canonical(to) !== own);
  const all = [
    ...(ipv4?.shared ?? []).map((one) => one.address),
    ...ranges.map((one) => one.range.split("/")[0] ?? ""),
  ];
  return [...new Set(all.map(canonical))].toSorted();
}

/** Returns the spec of an export, with references to exported objects. Undefined for an instance without shared addresses. */
export function sharingOf(id: string, { addresses = [] }: JsonObject, find: FindExported): JsonObject | undefined {
  const shared = addresses as string[];
  if (shared.length === 0) return undefined;
  const { refs, others } = referencesAmong(find, shared, 100, ["Public", "Private"]);
  return { instanceRef: { id }, addresses: others, addressRefs: refs.length > 0 ? refs : null };
}
