import * as z from "zod";
import { defineOwned } from "../../core/kind/owned.ts";
import { Invalid, Waiting } from "../../core/kind/outcome.ts";
import type { Resolved } from "../../core/kind/reference.ts";
import { exactlyOneOf } from "../../core/kind/rules.ts";
import { immutable, referenceTo, rule } from "../../core/kind/schema.ts";
import { canonical, ownAddress } from "./address.ts";
import { whole } from "../wire.ts";
import { optionalText } from "../text.ts";

const instanceRef = rule(referenceTo("ComputeInstance"), {
  cel: "has(self.name)",
  check: ({ name }) => name !== undefined,
  message: "must name a ComputeInstance: of an instance that no object manages, give the SLAAC address in routeTarget",
});

const fields = z.object({
  instanceRef: instanceRef
    .describe("The instance that the range is routed to. A change moves the range to another instance of its region.")
    .optional(),
  routeTarget: ownAddress(
    "SLAAC address of the instance, without prefix length, where no object manages it.",
    6,
  ).optional(),
  prefixLength: immutable(z.literal([56, 64])).describe("Prefix length of the range. Cannot be changed."),
});

const spec = exactlyOneOf(fields, ["instanceRef", "routeTarget"], { fieldPath: ".instanceRef" });

const range = z.object({
  range: z.string(),
  prefix: whole().nullish(),
  region: z.string().nullish(),
  route_target: z.string().nullish(),
  is_bgp: z.boolean().nullish(),
});
const view = z.object({ region: z.string().nullish(), is_bgp: z.boolean().nullish() });

/**
 * Ranges of IPv6 addresses: part 3, sections 2.3 and 4.3; not-shown, section 4.
 * Creation: by a natural key, the instance's SLAAC address, of which the cloud permits one range.
 */
export const ipv6Range = defineOwned({
  kind: "IPv6Range",
  plural: "ipv6ranges",
  shortNames: ["cprange"],
  doc: "A range of IPv6 addresses that is routed to an instance. The cloud permits one for an instance, and one in a region.",
  columns: [
    { name: "Instance", jsonPath: ".spec.instanceRef.name" },
    { name: "Range", jsonPath: ".status.range" },
    { name: "Region", jsonPath: ".status.region" },
    { name: "Shared", jsonPath: ".status.shared", type: "boolean", priority: 1 },
  ],
  spec,
  status: z.object({
    range: optionalText(49, "The range, with its prefix length."),
    routeTarget: optionalText(45, "SLAAC address that it is routed to."),
    region: optionalText(64, "Region that it can be used in."),
    shared: z.boolean().describe("True while it is shared with other instances. It cannot be deleted then.").optional(),
  }),
  wire: range,
  references: { instanceRef: { kind: "ComputeInstance", from: (of) => of.instanceRef, contained: true } },
  reach: "own",
  at: () => "/networking/ipv6/ranges",
  identify: (wire) => canonical(addressOf(wire)),
  // The view of one range does not tell its route target.
  wholeInList: true,
  // While it is shared, no target is shown: its instances announce it.
  recall: (wire, { route_target: before }) =>
    wire.route_target || typeof before !== "string" ? wire : { ...wire, route_target: before, is_bgp: true },
  idPattern: {
    pattern: "^[0-9a-f:]{2,39}$",
    message: "must be the address of the range as the cloud API shows it, without its prefix length",
  },
  fields: {
    route_target: {
      says: ["routeTarget", "instanceRef"],
      want: ({ spec: { routeTarget }, refs }) =>
        routeTarget === undefined ? slaacOf(refs.instanceRef) : canonical(routeTarget),
      have: (wire) => (wire.route_target ? canonical(wire.route_target) : undefined),
      key: true,
    },
    prefix_length: { want: (of) => of.spec.prefixLength, have: prefixOf, fixed: true },
  },
  says: { assignments: "instanceRef", region: "instanceRef" },
  unique: "enforced",
  verbs: {
    update: ({ id, wire, refs }) => {
      if (!refs.instanceRef)
        throw new Invalid("spec.routeTarget", `the range is routed to ${wire.route_target}. ${cure}`);
      const assignments = [{ address: `${id}/${prefixOf(wire)}`, compute_id: Number(refs.instanceRef.id) }];
      return { method: "POST", path: "/networking/ips/assign", body: { region: wire.region ?? "", assignments } };
    },
  },
  details: ({ id }) => ({ view: { path: `/networking/ipv6/ranges/${encodeURIComponent(id)}` } }),
  report: ({ wire, id }, details) => {
    const { region, is_bgp: shared } = view.catch({}).parse(details["view"]);
    return {
      range: `${id}/${prefixOf(wire)}`,
      routeTarget: wire.route_target ?? undefined,
      region: region ?? undefined,
      shared: wire.is_bgp ?? shared ?? undefined,
    };
  },
  examples: [
    {
      name: "containers",
      doc: "A network for the containers of an instance.",
      spec: { instanceRef: { name: "empty" }, prefixLength: 64 },
      changes: { instanceRef: { instanceRef: { name: "spare" } } },
      needs: [
        { kind: "ComputeInstance", example: "empty" },
        { kind: "ComputeInstance", example: "empty", name: "spare" },
      ],
    },
    {
      name: "routed",
      doc: "Routed to an address that no object manages.",
      spec: { routeTarget: "2001:db8::f03c:91ff:fe24:3a2f", prefixLength: 56 },
      shownOnly: true,
    },
  ],
});

const cure = "It is not moved. Set spec.instanceRef to move it, or spec.routeTarget to this address to keep it there";

/** A creation answers with address and prefix length in one text; the list has them in two fields. */
function addressOf(wire: { range: string }): string {
  return wire.range.split("/")[0] ?? "";
}

function prefixOf({ range, prefix }: { range: string; prefix?: number | null | undefined }): number | undefined {
  return prefix ?? (range.includes("/") ? Number(range.split("/")[1]) : undefined);
}

/** The SLAAC address of a managed instance, which its status tells with a prefix length. */
function slaacOf(instance: Resolved | undefined): string | undefined {
  if (!instance) return undefined;
  const { ipv6 } = instance.status ?? {};
  if (typeof ipv6 !== "string")
    throw new Waiting("WaitingForReference", `ComputeInstance ${instance.name} has no SLAAC address yet`, undefined, {
      byItself: true,
    });
  return canonical(ipv6.split("/")[0] ?? "");
}
