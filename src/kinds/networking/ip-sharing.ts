import * as z from "zod";
import type { Request } from "../../core/kind/call.ts";
import { immutable, orderedList, referenceTo, rule, setOf } from "../../core/kind/schema.ts";
import { defineSetting } from "../../core/kind/setting.ts";
import { computeInstance } from "../compute/compute-instance.ts";
import { addressRef, addressReference, addressStatus, reportAddresses } from "./address-ref.ts";
import { ownAddress } from "./address.ts";
import {
  addedSince,
  additionsIn,
  addressesIn,
  ownIn,
  sharedAt,
  sharedIn,
  sharingOf,
  unmanaged,
  wantedIn,
} from "./shared-addresses.ts";
import { sharingExamples } from "./sharing-examples.ts";

const sharedRef = rule(addressRef("One address."), {
  cel: "self.kind != 'ComputeInstance' || self.address != 'IPv6'",
  check: ({ kind, address }) => kind !== "ComputeInstance" || address !== "IPv6",
  message:
    "The SLAAC address of a ComputeInstance cannot be shared. Refer to an IPv6Range, or to address Public or Private",
  path: ["address"],
  fieldPath: ".address",
});

const fields = z.object({
  instanceRef: immutable(referenceTo("ComputeInstance")).describe(
    "The instance that may use the shared addresses, in addition to its own addresses. Cannot be changed.",
  ),
  addresses: setOf(
    ownAddress("An IPv4 address, or an IPv6 range without its prefix length, in the region of the instance."),
    100,
  )
    .describe(
      "Addresses and ranges of other instances, as values. With addressRefs, the complete list. An empty list means none except addressRefs. If absent, the operator keeps the entries of the cloud, and adds and removes only the addresses of addressRefs.",
    )
    .optional(),
  addressRefs: orderedList(sharedRef, 100)
    .describe(
      "Addresses of other instances, as references to ComputeInstances, IPAddresses and IPv6Ranges. If an address changes, the operator updates the sharing. You can also share a range of the instance itself: the cloud API then lists the range as shared. At least one entry. If absent, addresses is the complete list.",
    )
    .optional(),
});

const sharing = rule(fields, {
  cel: "(has(self.addresses) && size(self.addresses) > 0) || (has(self.addressRefs) && size(self.addressRefs) > 0)",
  check: (of) => [of.addresses, of.addressRefs].some((list) => (list?.length ?? 0) > 0),
  message: "at least one address must be given in addresses or addressRefs. To share nothing, delete the object",
});

const spec = rule(sharing, {
  cel: "!has(self.addressRefs) || !has(self.instanceRef.name) || self.addressRefs.all(ref, ref.kind != 'ComputeInstance' || ref.name != self.instanceRef.name)",
  check: ({ addressRefs = [], instanceRef }) =>
    !addressRefs.some(({ kind, name }) => kind === "ComputeInstance" && name === instanceRef.name),
  message:
    "addressRefs must refer to addresses of another instance than instanceRef, which has its own addresses already",
  path: ["addressRefs"],
  fieldPath: ".addressRefs",
});

/**
 * Addresses that an instance shares with other instances: part 3, section 4.3, rule 2; not-shown, sections 3, 4 and 9.
 * Creation: none. The operator compares the set of shared addresses, and replaces the set. Deleting the object empties the set.
 */
export const ipSharing = defineSetting({
  kind: "IPSharing",
  plural: "ipsharings",
  shortNames: ["cpips"],
  noun: "IP sharing of instance",
  doc: "The addresses that an instance shares with other instances, for failover. Deleting the object ends the sharing.",
  columns: [
    { name: "Instance", jsonPath: ".spec.instanceRef.name" },
    { name: "Shared", jsonPath: ".status.shared", long: true },
  ],
  spec,
  status: z.object({
    shared: setOf(z.string().max(45), 300)
      .describe("Shared addresses, and shared ranges without prefix length.")
      .optional(),
    ...addressStatus,
  }),
  wire: computeInstance.wire as z.ZodObject<{ id: z.ZodNumber }>,
  references: {
    instanceRef: { kind: "ComputeInstance", from: (of) => of.instanceRef, contained: true },
    // The cloud API does not delete a range that is shared. The deletion of an instance ends the sharing of its addresses.
    addressRefs: { ...addressReference, from: (of) => of.addressRefs, holds: ["IPAddress", "IPv6Range"] },
  },
  listPath: () => "/compute/instances",
  eventEntity: "compute",
  createdField: "created",
  which: ({ refs }) => refs.instanceRef.id,
  part: "shared addresses",
  reach: "own",
  fields: {},
  specFields: { compute_id: "instanceRef", ips: sharedAt },
  steps: {
    share: {
      reach: "own",
      concerns: "access",
      specFields: ["addresses", "addressRefs"],
      guards: "polled",
      read: ({ id }) => ({ path: `/compute/instances/${id}/ips`, needs: ["ipv4", "ipv6"] }),
      noted: ({ applied }, current) => addedSince(applied, sharedIn(current)),
      calls: ({ spec: { addresses }, refs, id, applied }, current) => {
        const there = sharedIn(current);
        const wanted = wantedIn(addresses ?? unmanaged(applied, refs, there), refs);
        if (wanted.join() === there.join()) return [];
        const note = `shared: ${there.join(", ") || "none"} → ${wanted.join(", ")}`;
        const call = { ...share(id, wanted, hasRange([...wanted, ...there])), action: "Share", note };
        const changes = [{ field: "addresses", observed: there, desired: wanted }];
        return [{ ...call, changes, ...additionsIn(applied, refs) }];
      },
      // A difference concerns both lists together.
      describe: (of, current) => ({ cloud: current === undefined ? {} : addressesIn(of, current), spec: {} }),
      observed: sharedIn,
    },
  },
  exports: { spec: ({ id, told, find }) => sharingOf(id, told, find) },
  additions: ({ refs }) => additionsIn(undefined, refs).applies,
  undo: ({ id, shown, spec, applied }) => {
    const there = shown["share"] as string[];
    const left = spec.addresses ? [] : there.filter((one) => !ownIn(applied).includes(one));
    return share(id, left, hasRange(there));
  },
  details: ({ id }) => ({ held: { path: `/compute/instances/${id}/ips`, needs: ["ipv4", "ipv6"] } }),
  report: ({ refs }, details) => ({
    shared: details["held"] === undefined ? undefined : sharedIn(details["held"]),
    ...reportAddresses(refs.addressRefs),
  }),
  examples: sharingExamples,
});

/** The older request accepts only IPv4 addresses. The request with ranges is beta. */
function share(id: string, ips: string[], beta: boolean): Request {
  const path = beta ? "/networking/ips/share" : "/networking/ipv4/share";
  return { method: "POST", path, body: { compute_id: Number(id), ips }, ...(beta && { beta }) };
}

function hasRange(ips: string[]): boolean {
  return ips.some((ip) => ip.includes(":"));
}
