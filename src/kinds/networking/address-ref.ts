/**
 * References to addresses of other objects: an address of a ComputeInstance, an IPAddress, or an IPv6Range.
 *
 * A kind declares the field with `addressRef` and the reference with `addressReference`. The core then reads the address in the
 * row of the cloud API, waits while the row has no address, and wakes the object when the address changes. `refs` has the address in `value`.
 */
import * as z from "zod";
import type { Copied, ReferenceEntry, Resolved } from "../../core/kind/reference.ts";
import { classified } from "../../core/kind/leaf-class.ts";
import { objectName, orderedList, rule } from "../../core/kind/schema.ts";
import { canonical, withPrefix } from "./address.ts";

const forms = {
  ComputeInstance: ["Public", "Private", "IPv6"],
  IPAddress: ["Public", "Private"],
  IPv6Range: ["IPv6"],
} as const;

export type AddressKind = keyof typeof forms;
export type Form = (typeof forms)[AddressKind][number];

const kinds = Object.keys(forms) as AddressKind[];

/** A reference to an address. `description`: the use of the address. */
export function addressRef(description: string) {
  const fields = z.object({
    kind: z.enum(kinds).describe("Kind of the object that has the address."),
    name: classified(objectName, { is: "reference", to: kinds }).describe("Name of the object in this namespace."),
    address: z
      .enum(forms.ComputeInstance)
      .describe(
        "The address. `Public`: the first public IPv4 address of a ComputeInstance, or a public IPAddress. `Private`: the first private IPv4 address, or a private IPAddress. `IPv6`: the SLAAC address of a ComputeInstance, or an IPv6Range.",
      ),
  });
  return rule(fields.describe(description), {
    cel: "self.kind == 'IPAddress' ? self.address != 'IPv6' : self.kind != 'IPv6Range' || self.address == 'IPv6'",
    check: ({ kind, address }) => (forms[kind] as readonly Form[]).includes(address),
    message:
      "address must be Public or Private for an IPAddress, which is an IPv4 address, and IPv6 for an IPv6Range. A ComputeInstance has all three",
    path: ["address"],
    fieldPath: ".address",
  });
}

/** A list of references to addresses. `fewest`: 0 if an empty list means none. */
export function addressRefs(description: string, maxItems: number, fewest = 1) {
  return orderedList(addressRef("One address."), maxItems).min(fewest).describe(description).optional();
}

/** The common part of all references to addresses. The referenced object can be deleted first. */
export const addressReference = { kinds, copies: copyAddress, holds: false };

export const instanceRow = z.object({ ipv4: z.array(z.string()).nullish(), ipv6: z.string().nullish() });
export const ownRow = z.object({ public: z.boolean().nullish(), prefix: z.number().nullish() });

function copyAddress(entry: ReferenceEntry, { id, row = {}, spec = {} }: Resolved): Copied {
  const { kind, address } = entry as { kind: AddressKind; address: Form };
  if (kind === "ComputeInstance") return copyOfInstance(address, instanceRow.catch({}).parse(row));
  const shown = ownRow.catch({}).parse(row);
  if (kind === "IPv6Range") return { value: `${canonical(id)}/${shown.prefix ?? Number(spec["prefixLength"])}` };
  const isPublic = shown.public ?? spec["public"] === true;
  if (isPublic === (address === "Public")) return { value: canonical(id) };
  const [is, right] = isPublic ? ["public", "Public"] : ["private", "Private"];
  return {
    misfit: `is a ${is} address. The operator sends nothing. Set address to ${right}, or refer to another IPAddress`,
  };
}

export function copyOfInstance(address: Form, { ipv4, ipv6 }: z.output<typeof instanceRow>): Copied {
  if (address === "IPv6")
    return ipv6 ? { value: canonical(ipv6.split("/")[0] ?? "") } : { lacks: "has no IPv6 address" };
  const value = ipv4?.find((one) => isPrivate(one) === (address === "Private"));
  return value === undefined ? { lacks: `has no ${address.toLowerCase()} IPv4 address` } : { value };
}

/** RFC 1918. */
function isPrivate(ipv4: string): boolean {
  return /^(10|192[.]168|172[.](1[6-9]|2[0-9]|3[01]))[.]/.test(ipv4);
}

/** Returns the address of a resolved reference. The address of an IPv6Range is its first address. */
export function addressOf({ value = "" }: Resolved): string {
  return value.split("/")[0] ?? "";
}

/** Returns the networks of resolved references, as firewalls and databases expect them: a single address with its whole length. */
export function networksOf(resolved: readonly Resolved[] = []): string[] {
  return resolved.map(({ value = "" }) => withPrefix(value));
}

const mostShown = 500;

/** The part of the status that shows resolved addresses. */
export const addressStatus = {
  referencedAddresses: orderedList(
    z.object({
      kind: z.string().max(63).describe("Kind of the object."),
      name: z.string().max(253).describe("Name of the object."),
      address: z.string().max(49).describe("The address, or the range with its prefix length."),
    }),
    mostShown,
  )
    .describe("Current addresses of the referenced objects.")
    .optional(),
};

/** Returns the part of the status that shows these resolved references. */
export function reportAddresses(...references: (Resolved | readonly Resolved[] | undefined)[]) {
  const shown = new Map<string, { kind: string; name: string; address: string }>();
  for (const { kind = "", name = "", value: address = "" } of references.flatMap((one) => one ?? []))
    shown.set(`${kind} ${name} ${address}`, { kind, name, address });
  return shown.size === 0 ? {} : { referencedAddresses: [...shown.values()].slice(0, mostShown) };
}
