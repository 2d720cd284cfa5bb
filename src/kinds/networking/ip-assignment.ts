import * as z from "zod";
import { anotherThan } from "../../core/kind/rules.ts";
import { immutable, referenceTo } from "../../core/kind/schema.ts";
import { defineSetting } from "../../core/kind/setting.ts";
import { canonical, ownAddress } from "./address.ts";
import { ipRow } from "./ip-row.ts";
import { optionalText } from "../text.ts";

const fields = z.object({
  address: immutable(ownAddress("An IPv4 address of the account, public or private. Cannot be changed.", 4)),
  instanceRef: referenceTo("ComputeInstance").describe(
    "The instance that gets the address. The instance must be in the region of the address.",
  ),
  exchangeFor: ownAddress(
    "Address that the previous instance gets in return, in the same request. Both instances then have a public address at every moment.",
    4,
  ).optional(),
});

const spec = anotherThan(fields, "exchangeFor", "address", "address");

/**
 * Assignment of an IPv4 address to an instance: part 3, section 4.3, rule 1; not-shown, section 4. Each address has one
 * owner: IPv6Range moves its range, and IPAddress moves its address.
 * Creation: none. The assignment always exists. The operator compares and sets. Deleting the object does not move the address.
 */
export const ipAssignment = defineSetting({
  kind: "IPAssignment",
  plural: "ipassignments",
  shortNames: ["cpipa"],
  noun: "IP address",
  doc: "Assigns an IPv4 address to an instance, if no IPAddress manages the address. Deleting the object does not move the address.",
  columns: [
    { name: "Address", jsonPath: ".spec.address" },
    { name: "Instance", jsonPath: ".spec.instanceRef.name" },
    { name: "Instance ID", jsonPath: ".status.instanceID" },
  ],
  spec,
  status: z.object({
    instanceID: optionalText(32, "Identifier of the instance with the address."),
    region: optionalText(64, "Region of the address."),
    public: z.boolean().describe("Whether the address is public.").optional(),
  }),
  wire: ipRow,
  references: { instanceRef: { kind: "ComputeInstance", from: (of) => of.instanceRef } },
  listPath: () => "/networking/ips",
  identify: (wire) => canonical(wire.address),
  which: (wanted) => wanted.spec.address,
  takes: ({ exchangeFor }) => exchangeFor && canonical(exchangeFor),
  reach: "own",
  exports: "IPAddresses and ComputeInstances show the addresses of an instance",
  fields: {
    compute_id: {
      specField: "instanceRef",
      desired: ({ refs }) => Number(refs.instanceRef.id),
      observed: (wire) => wire.compute_id,
    },
  },
  specFields: {
    // The second assignment contains exchangeFor.
    assignments: (_, [index, member]) =>
      index === "[1]" ? "exchangeFor" : member === "address" ? "address" : "instanceRef",
    region: "instanceRef",
  },
  verbs: {
    update: ({ spec: { address: own, exchangeFor }, wire, refs }) => {
      const given = { address: own, compute_id: Number(refs.instanceRef.id) };
      const returned = exchangeFor === undefined ? [] : [{ address: exchangeFor, compute_id: wire.compute_id ?? null }];
      const body = { region: wire.region ?? null, assignments: [given, ...returned] };
      return { method: "POST", path: "/networking/ipv4/assign", body };
    },
  },
  report: ({ wire }) => ({
    instanceID: wire.compute_id ? String(wire.compute_id) : undefined,
    region: wire.region ?? undefined,
    public: wire.public ?? undefined,
  }),
  examples: [
    {
      name: "floating",
      doc: "Two instances exchange their addresses in one request.",
      spec: { address: "198.18.0.2", instanceRef: { name: "spare" }, exchangeFor: "198.18.0.3" },
      changes: { instanceRef: { instanceRef: { name: "empty" } } },
      needs: [
        { kind: "ComputeInstance", example: "empty" },
        { kind: "ComputeInstance", example: "empty", name: "spare" },
      ],
    },
  ],
});
