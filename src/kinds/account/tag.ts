import * as z from "zod";
import { asValue, cloudName } from "../../core/kind/leaf-class.ts";
import { defineOwned } from "../../core/kind/owned.ts";
import { immutable, ownName, referencesTo, rule, setOf } from "../../core/kind/schema.ts";
import { reservedTag, tagPrefix } from "../../core/kind/tags.ts";
import { absentOrEmpty } from "../absent.ts";
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
  asValue(z.string().min(3).max(50)).describe(
    "Label in the API. Defaults to the name of the object. Cannot be changed.",
  ),
  {
    cel: `!self.startsWith('${tagPrefix}')`,
    check: (text) => !text.startsWith(tagPrefix),
    message: ownTag,
  },
);

const carriers = (things: string) =>
  `${things} with the tag. An entry that you remove from the list loses the tag if the Tag added it. ${absentOrEmpty}`;

const ids = (thing: string, of: string) =>
  setOf(cloudName(thing, z.int().min(1)), 500).describe(
    `Identifiers of ${of} with the tag. The cloud API has no request that removes the tag from one of the ${of}, also for an empty list. If absent, the operator tags no ${of}.`,
  );

/**
 * Tags: part 3, sections 2.5 and 4.5; not-shown, section 6. The label is the identity of a tag.
 * Creation: by a natural key, the label. Then the operator compares and sets the tagged objects.
 */
export const tag = defineOwned({
  kind: "Tag",
  plural: "tags",
  shortNames: ["cptag"],
  doc: "A tag and the tagged cloud objects. Do not list an instance or a domain that sets spec.tags. Only an unrestricted user can use tags.",
  columns: [
    { name: "Label", jsonPath: ".status.id" },
    { name: "Objects", jsonPath: ".status.objects", type: "integer" },
  ],
  spec: z.object({
    label: immutable(label, { absent: ownName }).optional(),
    instanceRefs: referencesTo("ComputeInstance", 500).describe(carriers("Instances")).optional(),
    domainRefs: referencesTo("Domain", 500).describe(carriers("Domains")).optional(),
    volumeIDs: ids("Volume", "volumes").optional(),
    nodeBalancerIDs: ids("NodeBalancer", "NodeBalancers").optional(),
  }),
  status: z.object({
    objects: z.int().describe("Number of instances, domains, volumes and NodeBalancers with the tag.").optional(),
  }),
  wire: z.object({ label: z.string() }),
  admission: [
    nameFits({ min: 3, max: 50 }),
    {
      cel: `has(self.spec.label) || !self.metadata.name.startsWith('${tagPrefix}')`,
      message: ownTag,
      fieldPath: ".metadata.name",
    },
  ],
  references: {
    instanceRefs: { kind: "ComputeInstance", from: (spec) => spec.instanceRefs },
    domainRefs: { kind: "Domain", from: (spec) => spec.domainRefs },
  },
  listPath: () => "/tags",
  identify: (wire) => wire.label,
  idPattern: { pattern: "^.{3,50}$", message: "must be the label of the tag" },
  wholeInList: "only",
  reach: "own",
  // The tags of installations belong to operators.
  exports: { spec: ({ wire: { label } }) => (label.startsWith(tagPrefix) ? undefined : {}) },
  fields: {
    label: {
      desired: ({ spec, name }) => spec.label ?? name,
      observed: (wire) => wire.label,
      key: true,
      fixed: true,
      caseless: true,
    },
    computes: {
      specField: "instanceRefs",
      desired: ({ refs }) => taggable("instanceRefs", refs.instanceRefs),
      on: "create",
    },
    domains: { specField: "domainRefs", desired: ({ refs }) => taggable("domainRefs", refs.domainRefs), on: "create" },
    volumes: { specField: "volumeIDs", desired: ({ spec }) => spec.volumeIDs, on: "create" },
    nodebalancers: { specField: "nodeBalancerIDs", desired: ({ spec }) => spec.nodeBalancerIDs, on: "create" },
  },
  unique: "enforced",
  additions: (of) => addedBy(objectsOf(of)),
  steps: {
    objects: {
      reach: "own",
      concerns: "none",
      specFields: ["instanceRefs", "domainRefs", "volumeIDs", "nodeBalancerIDs"],
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
      doc: "A tag on volumes and NodeBalancers. No kind manages volumes and NodeBalancers.",
      spec: { label: "attached", volumeIDs: [15], nodeBalancerIDs: [7, 9] },
      shownOnly: true,
    },
    {
      name: "empty",
      doc: "A tag with the name of the object, without tagged cloud objects.",
      spec: {},
      shownOnly: true,
    },
  ],
});
