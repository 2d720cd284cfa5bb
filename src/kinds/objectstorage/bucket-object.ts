import * as z from "zod";
import { defineOwned } from "../../core/kind/owned.ts";
import { exactlyOneOf } from "../../core/kind/rules.ts";
import { configMapKeyReference, immutable, referenceTo, secretKeyReference } from "../../core/kind/schema.ts";
import { bucketId, bucketPath } from "./bucket-spec.ts";
import { contentOf, contents, etagOf, mostContent, plainETag } from "./object-content.ts";
import { contentType, objectKey } from "./object-spec.ts";
import { aclCalls, aclIn, aclPath } from "./object-acl.ts";
import { objectExamples } from "./object-examples.ts";
import { optionalText } from "../text.ts";

const content = { key: "content", encoding: "base64", mostBytes: mostContent } as const;
const plainType = "application/octet-stream";

const spec = exactlyOneOf(
  z.object({
    bucketRef: immutable(referenceTo("Bucket", bucketId)),
    objectKey: immutable(objectKey("Name of the object in the bucket. Cannot be changed.", 253)),
    contentSecretRef: secretKeyReference(
      "The Secret with the content. The content can be binary.",
      "content",
    ).optional(),
    contentConfigMapRef: configMapKeyReference(
      "The ConfigMap with the content: text, or binary content in its binaryData.",
      "content",
    ).optional(),
    contentType: immutable(
      contentType("Media type of the content. Defaults to application/octet-stream. Cannot be changed."),
      { absent: plainType },
    ).optional(),
    acl: z
      .enum(["private", "public-read", "authenticated-read", "public-read-write"])
      .describe(
        "Read and write access to the object. If absent, the access of the bucket applies. With public-read-write, every client can write, at your cost.",
      )
      .optional(),
  }),
  ["contentSecretRef", "contentConfigMapRef"],
  { fieldPath: ".contentSecretRef" },
);

/** Small objects of a bucket: part 3, sections 2.1 and 4.1; not-shown, section 5. */
export const bucketObject = defineOwned({
  kind: "BucketObject",
  plural: "bucketobjects",
  shortNames: ["cpobj"],
  doc: "A small object of a Bucket, with content from a Secret or a ConfigMap. If a different client changes the object, the operator restores the content.",
  columns: [
    { name: "Bucket", jsonPath: ".spec.bucketRef.name" },
    { name: "Key", jsonPath: ".spec.objectKey", long: true },
  ],
  spec,
  status: z.object({
    currentACL: optionalText(32, "Read and write access to the object. Reported only if spec.acl is set."),
  }),
  wire: contents,
  risks: [
    {
      fields: ["acl"],
      when: "object.spec.?acl.orValue('') == 'public-read-write'",
      message: "spec.acl is public-read-write: every client may write to the object, at your cost",
    },
  ],
  references: {
    bucketRef: { kind: "Bucket", from: (spec) => spec.bucketRef },
    contentSecretRef: { secret: (spec) => spec.contentSecretRef, ...content },
    contentConfigMapRef: { secret: (spec) => spec.contentConfigMapRef, in: "ConfigMap", ...content },
  },
  reach: "own",
  listPath: ({ spec: { objectKey: name }, refs }) =>
    `${bucketPath(refs.bucketRef.id)}/object-list?prefix=${encodeURIComponent(name)}`,
  absentIn: (answer, path) => {
    const found = contents.safeParse(answer).data;
    return found !== undefined && found.data[0]?.name !== new URLSearchParams(path.split("?")[1]).get("prefix");
  },
  identify: ({ data: [first] }) => {
    if (!first) throw new TypeError("the response does not name the object");
    return first.name;
  },
  idPattern: { pattern: "^.{1,253}$", message: "must be the name of the object" },
  exports: "its content is data, which stays in the bucket",
  fields: {
    name: {
      specField: "objectKey",
      desired: ({ spec }) => spec.objectKey,
      observed: (wire) => wire.data[0]?.name,
      key: true,
      fixed: true,
      on: "update",
    },
    // The digest of a short secret reveals the secret to a guess.
    etag: {
      specField: ["contentSecretRef", "contentConfigMapRef"],
      desired: (wanted) => etagOf(contentOf(wanted)),
      observed: (wire) => plainETag(wire.data[0]?.etag),
      on: "update",
      sensitive: true,
    },
  },
  unique: "enforced",
  originField: "data",
  versioned: true,
  digests: ({ digest, ...wanted }) => ({ content: digest(etagOf(contentOf(wanted))) }),
  shownDigests: ({ data: [first] }, digest) => {
    const etag = plainETag(first?.etag);
    return etag === undefined ? {} : { content: digest(etag) };
  },
  delivery: ({ path, body }, wanted) => {
    if (!path.endsWith("/object-url")) return undefined;
    if (body?.["method"] === "DELETE") return { method: "DELETE" };
    return { method: "PUT", content: contentOf(wanted), contentType: wanted.spec.contentType ?? plainType };
  },
  verbs: {
    create: (wanted) => {
      // Reports unusable content before the operator signs a URL.
      contentOf(wanted);
      return signed("PUT", bucketPath(wanted.refs.bucketRef.id), wanted.spec);
    },
    update: ({ spec, refs }) => signed("PUT", bucketPath(refs.bucketRef.id), spec),
    remove: ({ spec, list }) => signed("DELETE", list.replace(/\/object-list\?.*$/, ""), spec),
  },
  steps: {
    acl: {
      reach: "own",
      concerns: "access",
      specFields: ["acl"],
      guards: "polled",
      read: ({ spec, refs }) =>
        spec.acl === undefined ? undefined : { path: aclPath(refs.bucketRef.id, spec.objectKey), needs: ["acl"] },
      calls: ({ spec: { acl, objectKey: name }, refs }, current) => {
        return acl === undefined ? [] : aclCalls(refs.bucketRef.id, { acl, name }, current);
      },
    },
  },
  details: ({ spec, refs }) =>
    spec.acl === undefined ? {} : { acl: { path: aclPath(refs.bucketRef.id, spec.objectKey), needs: ["acl"] } },
  report: (_, { acl }) => ({ currentACL: aclIn(acl) }),
  examples: objectExamples,
});

function signed(method: "PUT" | "DELETE", path: string, spec: { objectKey: string; contentType?: string | undefined }) {
  const type = method === "PUT" ? { content_type: spec.contentType ?? plainType } : {};
  const body = { method, name: spec.objectKey, expires_in: 360, ...type };
  return { method: "POST" as const, path: `${path}/object-url`, body };
}
