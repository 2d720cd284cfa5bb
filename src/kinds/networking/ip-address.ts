import * as z from "zod";
import { defineOwned } from "../../core/kind/owned.ts";
import { Waiting } from "../../core/kind/outcome.ts";
import { immutable, referenceTo } from "../../core/kind/schema.ts";
import { canonical } from "./address.ts";
import { ipRow } from "./ip-row.ts";
import { optionalText } from "../text.ts";

const listed = z.array(z.object({ address: z.string() }));
const heldBy = z.object({ ipv4: z.object({ public: listed, private: listed.default([]) }) });

/**
 * Further IPv4 addresses of instances: part 3, sections 2.3 and 4.3; not-shown, sections 3 and 4.
 * Creation: the addresses of an instance have no names, and each address costs money. The operator requests one address
 * at a time. If the instance has an address without owner, the operator sends no request.
 */
export const ipAddress = defineOwned({
  kind: "IPAddress",
  plural: "ipaddresses",
  shortNames: ["cpip"],
  doc: "An additional IPv4 address of an instance. The first address belongs to the ComputeInstance. For the reverse DNS, create a ReverseDNS.",
  columns: [
    { name: "Instance", jsonPath: ".spec.instanceRef.name" },
    { name: "Address", jsonPath: ".status.id" },
    { name: "Public", jsonPath: ".status.public", type: "boolean" },
    { name: "Region", jsonPath: ".status.region" },
  ],
  spec: z.object({
    instanceRef: referenceTo("ComputeInstance").describe(
      "The instance with the address. A change moves the address to a different instance in the same region.",
    ),
    public: immutable(z.boolean()).describe(
      "Whether the address is public. An instance has at most one private address. Cannot be changed.",
    ),
  }),
  status: z.object({
    instanceID: optionalText(32, "Identifier of the instance with the address."),
    public: z.boolean().describe("Whether the address is public.").optional(),
    region: optionalText(64, "Region of the address."),
    gateway: optionalText(45, "Gateway of the network."),
    prefixLength: z.int().describe("Prefix length of the network.").optional(),
    rdns: optionalText(253, "Name that a reverse lookup returns."),
  }),
  wire: ipRow,
  references: { instanceRef: { kind: "ComputeInstance", from: (of) => of.instanceRef, contained: true } },
  reach: "own",
  listPath: () => "/networking/ips",
  identify: (wire) => canonical(wire.address),
  idPattern: { pattern: "^[0-9]{1,3}([.][0-9]{1,3}){3}$", message: "must be an IPv4 address" },
  fields: {
    compute_id: {
      specField: "instanceRef",
      desired: ({ refs }) => refs.instanceRef && Number(refs.instanceRef.id),
      observed: (wire) => wire.compute_id,
      concerns: "access",
      key: true,
    },
    public: { desired: (of) => of.spec.public, observed: (wire) => wire.public, fixed: true },
    type: { desired: () => "ipv4", observed: (wire) => wire.type, fixed: true },
  },
  specFields: { assignments: "instanceRef", region: "instanceRef" },
  unique: "several",
  held: {
    read: ({ refs }) => ({ path: addressesOf(refs.instanceRef.id), needs: ["ipv4"] }),
    ids: (answer, { spec }) =>
      heldBy.parse(answer).ipv4[spec.public ? "public" : "private"].map(({ address }) => address),
    // Part 2, section 2.1: an instance gets one public address when it is created, and a private one only on request.
    builtIn: ({ spec }) => (spec.public ? 1 : 0),
  },
  billable: true,
  verbs: {
    update: ({ id, wire, refs }) => ({
      method: "POST",
      path: "/networking/ipv4/assign",
      body: {
        region: wire.region ?? null,
        assignments: [{ address: id, compute_id: Number(refs.instanceRef.id) }],
      },
    }),
    remove: ({ id, wire }) => ({ method: "DELETE", path: `/compute/instances/${wire.compute_id}/ips/${id}` }),
  },
  release: async ({ id, wire }, { get }) => {
    const held = heldBy.parse(await get(addressesOf(wire.compute_id))).ipv4.public;
    if (held.length > 1 || held[0]?.address !== id) return;
    const why = `${id} is the last public address of instance ${wire.compute_id}, and the cloud API does not remove it`;
    throw new Waiting(
      "WaitingForDependents",
      `${why}. Give the instance a different public address, or delete the instance`,
      60_000,
    );
  },
  report: ({ wire }) => ({
    instanceID: wire.compute_id ? String(wire.compute_id) : undefined,
    public: wire.public ?? undefined,
    region: wire.region ?? undefined,
    gateway: wire.gateway ?? undefined,
    prefixLength: wire.prefix ?? undefined,
    rdns: wire.rdns ?? undefined,
  }),
  examples: [
    {
      name: "second",
      doc: "A second public address for an instance.",
      spec: { instanceRef: { name: "empty" }, public: true },
      changes: { instanceRef: { instanceRef: { name: "spare" } } },
      needs: [
        { kind: "ComputeInstance", example: "empty" },
        { kind: "ComputeInstance", example: "empty", name: "spare" },
      ],
    },
  ],
});

function addressesOf(instance: string | number | null | undefined): string {
  return `/compute/instances/${instance}/ips`;
}
