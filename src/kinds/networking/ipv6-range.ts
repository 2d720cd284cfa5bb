import * as z from "zod";
import { defineOwned } from "../../core/kind/owned.ts";
import { Invalid } from "../../core/kind/outcome.ts";
import { exactlyOneOf } from "../../core/kind/rules.ts";
import { immutable, referenceTo, rule } from "../../core/kind/schema.ts";
import { instanceOf } from "./exported-refs.ts";
import { canonical, ownAddress } from "./address.ts";
import { slaacOf } from "./slaac.ts";
import { whole } from "../wire.ts";
import { optionalText } from "../text.ts";

const instanceRef = rule(referenceTo("ComputeInstance"), {
  cel: "has(self.name)",
  check: ({ name }) => name !== undefined,
  message: "must name a ComputeInstance. For an instance without custom resource, set routeTarget to its SLAAC address",
});

const fields = z.object({
  instanceRef: instanceRef
    .describe("Instance that receives the traffic. A change moves the range to an instance in the same region.")
    .optional(),
  routeTarget: ownAddress(
    "SLAAC address of an instance without custom resource, without prefix length. The operator never moves such a range.",
    6,
  ).optional(),
  prefixLength: immutable(z.literal([56, 64])).describe(
    "Size of the range: 64, or 56 (256 networks). Cannot be changed.",
  ),
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
 * Creation: by a natural key, the SLAAC address of the instance. The cloud permits one range for each address.
 */
export const ipv6Range = defineOwned({
  kind: "IPv6Range",
  plural: "ipv6ranges",
  shortNames: ["cprange"],
  doc: "An IPv6 range that the cloud routes to an instance. The cloud permits one range for an instance, and one range in a region.",
  columns: [
    { name: "Instance", jsonPath: ".spec.instanceRef.name" },
    { name: "Range", jsonPath: ".status.range" },
    { name: "Region", jsonPath: ".status.region" },
    { name: "Shared", jsonPath: ".status.shared", type: "boolean", priority: 1 },
  ],
  spec,
  status: z.object({
    range: optionalText(49, "The range with its prefix length."),
    routeTarget: optionalText(45, "SLAAC address that receives the traffic of the range."),
    region: optionalText(64, "Region of the range. Only instances in the region can use the range."),
    shared: z
      .boolean()
      .describe("Whether other instances share the range. The cloud API does not delete a shared range.")
      .optional(),
  }),
  wire: range,
  references: { instanceRef: { kind: "ComputeInstance", from: (of) => of.instanceRef, contained: true } },
  reach: "own",
  listPath: () => "/networking/ipv6/ranges",
  identify: (wire) => canonical(addressOf(wire)),
  // The view of a single range does not contain the route target.
  wholeInList: true,
  // A shared range has no route target: its instances announce the range.
  recall: (wire, { route_target: before }) =>
    wire.route_target || typeof before !== "string" ? wire : { ...wire, route_target: before, is_bgp: true },
  idPattern: {
    pattern: "^[0-9a-f:]{2,39}$",
    message: "must be the address of the range as the cloud API shows it, without its prefix length",
  },
  fields: {
    route_target: {
      specField: ["routeTarget", "instanceRef"],
      desired: ({ spec: { routeTarget }, refs }) =>
        routeTarget === undefined ? slaacOf(refs.instanceRef) : canonical(routeTarget),
      observed: (wire) => (wire.route_target ? canonical(wire.route_target) : undefined),
      concerns: "access",
      key: true,
    },
    prefix_length: { desired: (of) => of.spec.prefixLength, observed: prefixOf, fixed: true },
  },
  specFields: { assignments: "instanceRef", region: "instanceRef" },
  exports: { spec: ({ told, find }) => instanceOf(told, find) },
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
      doc: "A range for an instance without custom resource.",
      spec: { routeTarget: "2001:db8::f03c:91ff:fe24:3a2f", prefixLength: 56 },
      shownOnly: true,
    },
  ],
});

const cure = "To move the range, set spec.instanceRef. To keep the range, set spec.routeTarget to this address";

/** The response of a create request has address and prefix length in one text, and the list in two fields. */
function addressOf(wire: { range: string }): string {
  return wire.range.split("/")[0] ?? "";
}

function prefixOf({ range, prefix }: { range: string; prefix?: number | null | undefined }): number | undefined {
  return prefix ?? (range.includes("/") ? Number(range.split("/")[1]) : undefined);
}
