import * as z from "zod";
import { defineOwned } from "../../core/kind/owned.ts";
import { given } from "../given.ts";
import { nameFits } from "../label.ts";
import { accessCalls, accessInWords, accessOf } from "./bucket-access.ts";
import { emptyBucket } from "./bucket-contents.ts";
import { bucketRow, identifyBucket, isIn } from "./bucket-row.ts";
import { bucketId, bucketPath, bucketSpec } from "./bucket-spec.ts";
import { optionalTime, rfc3339 } from "../time.ts";
import { optionalText } from "../text.ts";

/** Buckets of object storage: part 3, sections 2.1 and 4.1; not-shown, section 5. */
export const bucket = defineOwned({
  kind: "Bucket",
  plural: "buckets",
  shortNames: ["cpbkt"],
  doc: "A bucket of object storage. The status does not contain the size and the number of objects, because these change continuously.",
  columns: [
    { name: "Cluster", jsonPath: ".spec.cluster" },
    { name: "Hostname", jsonPath: ".status.hostname", long: true },
    { name: "ID", jsonPath: ".status.id", priority: 1 },
  ],
  spec: bucketSpec,
  status: z.object({
    hostname: optionalText(253, "Host name of the bucket."),
    currentACL: optionalText(
      32,
      "Read and write access to the bucket: a predefined ACL such as private, or custom for other grants.",
    ),
    corsEnabled: z.boolean().describe("Whether web pages of every origin may use the bucket.").optional(),
    created: optionalTime("Creation time in the cloud."),
  }),
  wire: bucketRow,
  admission: [nameFits({ min: 3, max: 63 })],
  risks: [
    {
      fields: ["forceEmpty"],
      when: "object.spec.?forceEmpty.orValue(false)",
      message: "spec.forceEmpty is true: deleting this object deletes all data in the bucket",
    },
    {
      fields: ["acl"],
      when: "object.spec.?acl.orValue('') == 'public-read-write'",
      message: "spec.acl is public-read-write: every client may write to the bucket, at your cost",
    },
  ],
  reach: "own",
  listPath: () => "/object-storage/buckets",
  identify: identifyBucket,
  idPattern: bucketId,
  itemPath: (_, id) => bucketPath(id),
  amongPath: (id) => `/object-storage/buckets/${encodeURIComponent(id.split("/")[0] ?? "")}`,
  // The row contains no mutable setting. The access settings have a separate endpoint.
  fields: {
    cluster: {
      desired: ({ spec }) => spec.cluster,
      observed: (wire, wanted) =>
        typeof wanted === "string" && isIn(wire, wanted) ? wanted : wire.cluster || wire.region,
      key: true,
      fixed: true,
    },
    label: { desired: ({ spec, name }) => spec.label ?? name, observed: (wire) => wire.label, key: true, fixed: true },
    acl: { desired: ({ spec }) => spec.acl, on: "create" },
    cors_enabled: { desired: ({ spec }) => spec.corsEnabled, on: "create" },
  },
  unique: "returnsExisting",
  createdField: "created",
  // A new bucket is private by default (part 3, section 2.1).
  sets: ({ spec }, id) => ({
    ...accessOf(id),
    fields: given({ acl: spec.acl ?? "private", cors_enabled: spec.corsEnabled }),
  }),
  steps: {
    access: {
      reach: "own",
      concerns: "access",
      specFields: ["acl", "corsEnabled"],
      guards: "polled",
      observes: ({ id }) => accessOf(id),
      describe: (_, current) => ({ cloud: accessInWords(current) }),
      read: ({ spec, id }) => (spec.acl !== undefined || spec.corsEnabled !== undefined ? accessOf(id) : undefined),
      calls: ({ spec, id }, current) =>
        accessCalls(id, given({ acl: spec.acl, cors_enabled: spec.corsEnabled }), current),
    },
  },
  delivery: ({ path, body }) =>
    path.endsWith("/object-url") && body?.["method"] === "DELETE" ? { method: "DELETE" } : undefined,
  release: ({ id, spec }, tools) => emptyBucket(bucketPath(id), spec.forceEmpty === true, tools),
  details: ({ id }) => ({ access: accessOf(id) }),
  report: ({ wire }, { access }) => {
    const { acl, corsEnabled } = accessInWords(access);
    return {
      ...(wire.hostname && { hostname: wire.hostname }),
      created: rfc3339(wire.created),
      currentACL: acl,
      corsEnabled,
    };
  },
  holdsData: true,
  loses: "the bucket, and all its objects if spec.forceEmpty is true",
  examples: [
    {
      name: "media",
      doc: "A private bucket for files.",
      spec: { cluster: "us-east-1" },
      changes: { acl: { acl: "public-read" }, corsEnabled: { corsEnabled: true } },
      sample: true,
    },
    {
      name: "downloads",
      doc: "A bucket with public read access. Deleting the object deletes all data in the bucket.",
      spec: {
        label: "downloads.example",
        cluster: "us-east-1",
        acl: "public-read",
        corsEnabled: true,
        forceEmpty: true,
      },
      changes: {
        "acl and corsEnabled": { acl: "private", corsEnabled: false },
        acl: { acl: "authenticated-read" },
        forceEmpty: { forceEmpty: false },
      },
    },
  ],
});
