import { graceSeconds, gracePeriodSeconds } from "./grace-period.ts";
import * as z from "zod";
import { asValue } from "../../core/kind/leaf-class.ts";
import { defineOwned } from "../../core/kind/owned.ts";
import { immutable } from "../../core/kind/schema.ts";
import { labelField, nameFits } from "../label.ts";
import { publishedForm, secretName } from "../../core/kind/published.ts";
import { publishedName, publishedNameRules } from "../secret-name.ts";
import { bucketAccess, inSpec, isLimited, partsOf, placed, placeOf, sorted, wireAccess } from "./key-buckets.ts";
import { optionalText } from "../text.ts";

const publishedKeys = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION", "AWS_ENDPOINT_URL"];

const naming = { suffix: "-s3-credentials", short: "secretName" };

/** Access keys of object storage: part 3, sections 2.1 and 4.1; not-shown, section 5. */
export const objectStorageKey = defineOwned({
  kind: "ObjectStorageKey",
  plural: "objectstoragekeys",
  shortNames: ["cposkey"],
  doc: "An access key of object storage, and a Secret with the key for S3 clients. The cloud API shows the key only once: if the Secret is lost, the operator deletes the key and creates a new key.",
  columns: [
    { name: "Secret", jsonPath: ".status.secretName" },
    { name: "ID", jsonPath: ".status.id" },
  ],
  spec: z.object({
    label: asValue(z.string().min(1).max(50))
      .describe("Label of the key. Defaults to the name of the object.")
      .optional(),
    bucketAccess: immutable(bucketAccess).optional(),
    secretName: secretName(
      "Name of the Secret with the key. Defaults to <name>-s3-credentials. Short form of connectionSecret.name.",
    ).optional(),
    connectionSecret: publishedForm(publishedKeys, "<name>-s3-credentials").optional(),
    rotation: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .describe(
        "Number of rotations. Defaults to 0. After a change, the operator creates a new key, updates the Secret, and deletes the previous key after the grace period.",
      )
      .optional(),
    gracePeriodSeconds,
  }),
  status: z.object({
    limited: z.boolean().describe("Whether the key gives access only to listed buckets.").optional(),
    secretName: optionalText(253, "Name of the Secret with the key."),
  }),
  wire: z.object({
    id: z.int(),
    label: z.string(),
    access_key: z.string(),
    limited: z.boolean().nullish(),
    bucket_access: z.array(wireAccess).nullish(),
  }),
  admission: [nameFits({ min: 1, max: 50 }), ...publishedNameRules(naming)],
  risks: [
    {
      fields: ["bucketAccess"],
      when: "!has(object.spec.bucketAccess)",
      message: "spec.bucketAccess is not given: the key gives access to every bucket of the account",
    },
  ],
  references: {
    bucketAccess: {
      kind: "Bucket",
      from: (spec) => spec.bucketAccess?.map(({ bucketRef }) => bucketRef),
      fields: (spec) => (spec.bucketAccess ?? []).map((_, index) => `bucketAccess[${index}].bucketRef`),
    },
  },
  reach: ({ bucketAccess: list }) => ({
    reach: list ? "own" : "existing",
    because: "spec.bucketAccess: not given, so that the key gives access to every bucket of the account",
  }),
  listPath: () => "/object-storage/keys",
  fields: {
    label: labelField,
    bucket_access: {
      desired: ({ spec: { bucketAccess: list = [] }, refs: { bucketAccess: buckets } }) =>
        buckets && sorted(list.map(({ permissions }, at) => ({ ...partsOf(buckets[at]?.id ?? ""), permissions }))),
      // For a key with access to every bucket, the field is absent. An empty list means access to no bucket.
      observed: (wire) => (isLimited(wire) ? sorted((wire.bucket_access ?? []).map(placed)) : undefined),
      describe: inSpec,
      fixed: true,
    },
    // The operator does not send the field, which follows from the list. The field identifies a lost key with access to every bucket.
    limited: {
      desired: ({ spec }) => spec.bucketAccess !== undefined,
      observed: isLimited,
      fixed: true,
      on: "update",
    },
    rotation: { desired: ({ spec }) => spec.rotation ?? 0, on: "update", replaces: true, graceSeconds },
  },
  unique: "none",
  originField: "access_key",
  secret: {
    name: nameOfSecret,
    ofCreation: { AWS_ACCESS_KEY_ID: "access_key", AWS_SECRET_ACCESS_KEY: "secret_key" },
    data: ({ refs }) => placeOf(refs.bucketAccess ?? []),
  },
  report: ({ spec, name, wire, adopted }) => ({
    limited: wire.limited ?? undefined,
    secretName: adopted ? undefined : nameOfSecret({ spec, name }),
  }),
  guardsAccess: true,
  examples: [
    {
      name: "media-reader",
      doc: "A key that may read one bucket. To rotate the key, increase `rotation`.",
      spec: { bucketAccess: [{ bucketRef: { name: "media" }, permissions: "read_only" }] },
      changes: {
        label: { label: "media-reader-renamed" },
        secretName: { secretName: "media-key" },
        connectionSecret: { connectionSecret: { keys: { AWS_ACCESS_KEY_ID: "accessKey" } } },
      },
      needs: [{ kind: "Bucket", example: "media" }],
      sample: true,
    },
    {
      name: "every-bucket",
      doc: "A key for every bucket of the account, with a chosen name for the Secret.",
      spec: { label: "backups", secretName: "backup-storage", rotation: 1 },
      changes: { label: { label: "archive" } },
    },
    {
      name: "media-writer",
      doc: "A key that may write to one bucket. The Secret has custom key names.",
      spec: {
        label: "media-writer-1",
        bucketAccess: [{ bucketRef: { name: "media" }, permissions: "read_write" }],
        rotation: 2,
        gracePeriodSeconds: 86_400,
        connectionSecret: {
          name: "media-s3",
          keys: { AWS_ACCESS_KEY_ID: "accessKey", AWS_SECRET_ACCESS_KEY: "secretKey" },
        },
      },
      needs: [{ kind: "Bucket", example: "media" }],
      shownOnly: true,
    },
  ],
});

type Spec = Parameters<typeof publishedName>[1] & { secretName?: string | undefined };

function nameOfSecret({ name, spec }: { name: string; spec: Spec }): string {
  return publishedName(name, spec, spec.secretName, naming);
}
