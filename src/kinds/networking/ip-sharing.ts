import * as z from "zod";
import type { Request } from "../../core/kind/call.ts";
import { immutable, nameOfObject, orderedList, referenceTo, rule, setOf } from "../../core/kind/schema.ts";
import { defineSetting } from "../../core/kind/setting.ts";
import { computeInstance } from "../compute/compute-instance.ts";
import { ownAddress } from "./address.ts";
import { addressesIn, sharedAt, sharedIn, wantedIn } from "./shared-addresses.ts";
import { sharingExamples } from "./sharing-examples.ts";

const named = (kind: string) =>
  z.object({ name: nameOfObject(kind).describe(`Name of an ${kind} in this namespace.`) });

const fields = z.object({
  instanceRef: immutable(referenceTo("ComputeInstance")).describe(
    "The instance that may bring up the addresses besides those that belong to it. Cannot be changed.",
  ),
  addresses: setOf(
    ownAddress("An IPv4 address, or an IPv6 range without its prefix length, in the region of the instance."),
    100,
  )
    .describe("Addresses and ranges of other instances, by themselves.")
    .optional(),
  addressRefs: orderedList(named("IPAddress"), 100).describe("IPAddresses of other instances.").optional(),
  rangeRefs: orderedList(named("IPv6Range"), 100)
    .describe(
      "IPv6Ranges of other instances, and the instance's own while it is shared: the cloud API then counts it here, too.",
    )
    .optional(),
});

const spec = rule(fields, {
  cel: "[has(self.addresses) ? size(self.addresses) : 0, has(self.addressRefs) ? size(self.addressRefs) : 0, has(self.rangeRefs) ? size(self.rangeRefs) : 0].exists(length, length > 0)",
  check: (of) => [of.addresses, of.addressRefs, of.rangeRefs].some((list) => (list?.length ?? 0) > 0),
  message:
    "at least one address must be given in addresses, addressRefs or rangeRefs. To share nothing, delete the object",
});

/**
 * Addresses that an instance shares with others: part 3, section 4.3, rule 2; not-shown, sections 3, 4 and 9.
 * Creation: none; what is shared is a set, which is compared, then set as a whole. Deleting the object empties it.
 */
export const ipSharing = defineSetting({
  kind: "IPSharing",
  plural: "ipsharings",
  shortNames: ["cpips"],
  doc: "The addresses of other instances that an instance may bring up too, for failover: all of them. Deleting the object ends the sharing.",
  columns: [
    { name: "Instance", jsonPath: ".spec.instanceRef.name" },
    { name: "Shared", jsonPath: ".status.shared" },
  ],
  spec,
  status: z.object({
    shared: setOf(z.string().max(45), 300)
      .describe("What the instance shares: addresses, and ranges without their prefix length.")
      .optional(),
  }),
  wire: computeInstance.wire as z.ZodObject<{ id: z.ZodNumber }>,
  references: {
    instanceRef: { kind: "ComputeInstance", from: (of) => of.instanceRef, contained: true },
    addressRefs: { kind: "IPAddress", from: (of) => of.addressRefs },
    rangeRefs: { kind: "IPv6Range", from: (of) => of.rangeRefs },
  },
  at: () => "/compute/instances",
  eventEntity: "compute",
  createdField: "created",
  which: ({ refs }) => refs.instanceRef.id,
  part: "shared addresses",
  reach: "own",
  fields: {},
  says: { compute_id: "instanceRef", ips: sharedAt },
  steps: {
    share: {
      reach: "own",
      says: ["addresses", "addressRefs", "rangeRefs"],
      guards: "swept",
      read: ({ id }) => ({ path: `/compute/instances/${id}/ips`, needs: ["ipv4", "ipv6"] }),
      calls: ({ spec: { addresses = [] }, refs, id }, current) => {
        const wanted = wantedIn(addresses, refs);
        const there = sharedIn(current);
        if (wanted.join() === there.join()) return [];
        const note = `shared: ${there.join(", ") || "none"} → ${wanted.join(", ")}`;
        return [{ ...sharing(id, wanted, hasRange([...wanted, ...there])), action: "Share", note }];
      },
      // What differs is said of all three lists together.
      words: (of, current) => ({ cloud: current === undefined ? {} : addressesIn(of, current), spec: {} }),
      have: sharedIn,
    },
  },
  undo: ({ id, shown }) => sharing(id, [], hasRange(shown["share"] as string[])),
  details: ({ id }) => ({ held: { path: `/compute/instances/${id}/ips`, needs: ["ipv4", "ipv6"] } }),
  report: (_, details) => ({ shared: details["held"] === undefined ? undefined : sharedIn(details["held"]) }),
  examples: sharingExamples,
});

/** The older request takes IPv4 addresses; the one that takes ranges as well is beta. */
function sharing(id: string, ips: string[], beta: boolean): Request {
  const path = beta ? "/networking/ips/share" : "/networking/ipv4/share";
  return { method: "POST", path, body: { compute_id: Number(id), ips }, ...(beta && { beta }) };
}

function hasRange(ips: string[]): boolean {
  return ips.some((ip) => ip.includes(":"));
}
