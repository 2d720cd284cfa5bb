/** The addresses that an instance shares: as the cloud shows them, and as a spec says them in two lists. */
import * as z from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Resolved } from "../../core/kind/reference.ts";
import { addressOf } from "./address-ref.ts";
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

/** The addresses that a spec and what it refers to come to. */
export function wantedIn(addresses: string[], refs: Referred): string[] {
  return [...new Set([...addresses.map(canonical), ...referred(refs)])].toSorted();
}

/** The item of the spec that is the address at an index (`[1]`) of what is sent; without one, the first list that is given. */
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

/** What the instance shares besides what the spec refers to. */
export function addressesIn(
  { spec, refs }: { spec: { addresses?: string[] | undefined }; refs: Referred },
  current: Json,
): JsonObject {
  const addresses = sharedIn(current).filter((one) => !referred(refs).includes(one));
  return addresses.length > 0 || spec.addresses ? { addresses } : {};
}

/** What the instance shares: of the ranges that it may use, those that are routed to another instance. */
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
