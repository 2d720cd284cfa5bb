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
    "The instance that the address belongs to. It must be in the region of the address.",
  ),
  exchangeFor: ownAddress(
    "An address that the instance which has `address` gets for it, in the same request: each instance keeps a public address at every moment.",
    4,
  ).optional(),
});

const spec = anotherThan(fields, "exchangeFor", "address", "address");

/**
 * Which instance an IPv4 address belongs to: part 3, section 4.3, rule 1; not-shown, section 4. IPv6 ranges are moved by
 * IPv6Range, and an address that an IPAddress manages by that: each has one owner.
 * Creation: none, for it is always there; it is compared, then set. Deleting the object leaves it where it is.
 */
export const ipAssignment = defineSetting({
  kind: "IPAssignment",
  plural: "ipassignments",
  shortNames: ["cpipa"],
  doc: "The instance that an IPv4 address belongs to, where no IPAddress manages the address. Deleting the object leaves the address where it is.",
  columns: [
    { name: "Address", jsonPath: ".spec.address" },
    { name: "Instance", jsonPath: ".spec.instanceRef.name" },
    { name: "Instance ID", jsonPath: ".status.instanceID" },
  ],
  spec,
  status: z.object({
    instanceID: optionalText(32, "Identifier of the instance that has the address."),
    region: optionalText(64, "Region of the address."),
    public: z.boolean().describe("Whether it is a public address.").optional(),
  }),
  wire: ipRow,
  references: { instanceRef: { kind: "ComputeInstance", from: (of) => of.instanceRef } },
  at: () => "/networking/ips",
  identify: (wire) => canonical(wire.address),
  which: (wanted) => wanted.spec.address,
  takes: ({ exchangeFor }) => exchangeFor && canonical(exchangeFor),
  reach: "own",
  fields: {
    compute_id: {
      says: "instanceRef",
      want: ({ refs }) => Number(refs.instanceRef.id),
      have: (wire) => wire.compute_id,
    },
  },
  says: {
    // The second one is of the address that is given for it.
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
      doc: "The address of one instance for another one, which gives its own for it.",
      spec: { address: "198.18.0.2", instanceRef: { name: "spare" }, exchangeFor: "198.18.0.3" },
      changes: { instanceRef: { instanceRef: { name: "empty" } } },
      needs: [
        { kind: "ComputeInstance", example: "empty" },
        { kind: "ComputeInstance", example: "empty", name: "spare" },
      ],
    },
  ],
});
