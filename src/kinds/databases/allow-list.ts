import { withPrefix } from "../networking/address.ts";

/** Returns the list in normal form. The cloud API adds /32 to an address, and ignores the order: part 1, section 2.3. */
export function normalisedList(list: string[]): string[] {
  return [...new Set(list.map(withPrefix))].sort();
}

/** Returns a clause about the addresses that stay, because the spec does not have `allowList`. `referred`: the networks of `allowRefs`. */
export function unlistedNetworks(
  spec: { allowList?: string[] | undefined },
  referred: string[],
  there: string[] | null | undefined,
): string[] {
  const own = new Set(normalisedList(referred));
  const { length } = normalisedList(there ?? []).filter((one) => !own.has(one));
  if (spec.allowList !== undefined || length === 0) return [];
  const may = length === 1 ? "1 further address in the cloud may" : `${length} further addresses in the cloud may`;
  return [`spec.allowList is absent, so ${may} still connect`];
}
