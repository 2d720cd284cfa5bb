import * as z from "zod";
import { asValue, cloudName } from "../../core/kind/leaf-class.ts";
import { defineOwned } from "../../core/kind/owned.ts";
import { immutable, ownName, referencesTo, rule, setOf } from "../../core/kind/schema.ts";
import { reservedTag, tagPrefix } from "../../core/kind/tags.ts";
import { nameFits } from "../label.ts";
import {
  addedBy,
  carriersIn,
  objectsOf,
  readCarriers,
  releaseTag,
  stillAdded,
  taggable,
  tagCalls,
  tagPath,
} from "./tag-objects.ts";

const ownTag = `${reservedTag}. Choose another label`;

const label = rule(
  asValue(z.string().min(3).max(50)).describe("Label in the API; the object's name if not given. Cannot be changed."),
  {
    cel: `!self.startsWith('${tagPrefix}')`,
    check: (text) => !text.startsWith(tagPrefix),
    message: ownTag,
  },
);

const ids = (thing: string, of: string) =>
  setOf(cloudName(thing, z.int().min(1)), 500).describe(
    `Identifiers of ${of} that carry the tag. The cloud API has no request that takes it off one of them again.`,
  );

/**
 * Tags: part 3, sections 2.5 and 4.5; not-shown, section 6. A tag has no other identity than its label.
 * Creation: by a natural key, the label; then the objects that carry it are compared and set.
 */
export const tag = defineOwned({
  kind: "Tag",
  plural: "tags",
  shortNames: ["cptag"],
  doc: "A tag, and the objects that carry it. Instances and domains that say their tags in spec.tags are not listed here. Only an unrestricted user can use tags.",
  columns: [
    { name: "Label", jsonPath: ".status.id" },
    { name: "Objects", jsonPath: ".status.objects", type: "integer" },
  ],
  spec: z.object({
    label: immutable(label, { absent: ownName }).optional(),
    instanceRefs: referencesTo("ComputeInstance", 500)
      .describe(
        "Instances that carry the tag. An instance that is removed from the list loses the tag if this object added it.",
      )
      .optional(),
    domainRefs: referencesTo("Domain", 500)
      .describe(
        "Domains that carry the tag. A domain that is removed from the list loses the tag if this object added it.",
      )
      .optional(),
    volumeIDs: ids("Volume", "volumes").optional(),
    nodeBalancerIDs: ids("NodeBalancer", "NodeBalancers").optional(),
  }),
  status: z.object({
    objects: z.int().describe("How many instances, domains, volumes and NodeBalancers carry it.").optional(),
  }),
  wire: z.object({ label: z.string() }),
  admission: [
    nameFits({ min: 3, max: 50 }),
    {
      cel: `has(self.spec.label) || !self.metadata.name.startsWith('${tagPrefix}')`,
      message: `metadata.name: ${ownTag}`,
    },
  ],
  references: {
    instanceRefs: { kind: "ComputeInstance", from: (spec) => spec.instanceRefs },
    domainRefs: { kind: "Domain", from: (spec) => spec.domainRefs },
  },
  at: () => "/tags",
  identify: (wire) => wire.label,
  idPattern: { pattern: "^.{3,50}$", message: "must be the label of the tag" },
  wholeInList: "only",
  reach: "own",
  fields: {
    label: {
      want: ({ spec, name }) => spec.label ?? name,
      have: (wire) => wire.label,
      key: true,
      fixed: true,
      caseless: true,
    },
    computes: { says: "instanceRefs", want: ({ refs }) => taggable("instanceRefs", refs.instanceRefs), on: "create" },
    domains: { says: "domainRefs", want: ({ refs }) => taggable("domainRefs", refs.domainRefs), on: "create" },
    volumes: { says: "volumeIDs", want: ({ spec }) => spec.volumeIDs, on: "create" },
    nodebalancers: { says: "nodeBalancerIDs", want: ({ spec }) => spec.nodeBalancerIDs, on: "create" },
  },
  unique: "enforced",
  additions: (of) => addedBy(objectsOf(of)),
  steps: {
    objects: {
      reach: "own",
      says: ["instanceRefs", "domainRefs", "volumeIDs", "nodeBalancerIDs"],
      read: ({ id }) => ({ path: tagPath(id), paged: true }),
      noted: ({ applied, ...of }, current) => stillAdded(applied, carriersIn(current), objectsOf(of)),
      calls: ({ id, managerOf, applied: added, ...of }, current) =>
        tagCalls(id, objectsOf(of), { carriers: carriersIn(current), managerOf, added }),
    },
  },
  release: async ({ id, applied: added }, { get, send }) =>
    releaseTag(id, { carriers: await readCarriers(id, get), added, send }),
  details: ({ id }) => ({ objects: { path: tagPath(id), paged: true } }),
  report: (_, details) => ({
    objects: details["objects"] === undefined ? undefined : carriersIn(details["objects"]).length,
  }),
  examples: [
    {
      name: "shop",
      doc: "A tag on two instances and a domain.",
      spec: {
        label: "shop",
        instanceRefs: [{ name: "empty" }, { name: "spare" }],
        domainRefs: [{ name: "example-org" }],
      },
      changes: { instanceRefs: { instanceRefs: [{ name: "empty" }] }, domainRefs: { domainRefs: [] } },
      needs: [
        { kind: "ComputeInstance", example: "empty" },
        { kind: "ComputeInstance", example: "empty", name: "spare" },
        { kind: "Domain", example: "example-org" },
      ],
    },
    {
      name: "attached",
      doc: "On volumes and NodeBalancers, which no kind manages.",
      spec: { label: "attached", volumeIDs: [15], nodeBalancerIDs: [7, 9] },
      shownOnly: true,
    },
    { name: "empty", doc: "A tag under the object's name, on nothing yet.", spec: {}, shownOnly: true },
  ],
});
