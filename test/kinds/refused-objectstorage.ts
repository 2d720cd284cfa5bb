/** Specs of what is stored, buckets apart, that are refused: part of refused.ts. */
import { refusedImages } from "./refused-images.ts";
import { refusedKeys } from "./refused-keys.ts";
import type { Refused } from "./refused.ts";

const certificate = { bucketRef: { name: "media" }, secretRef: { name: "media-tls" } };
const bucketRefs = (spec: Record<string, unknown>): Omit<Refused, "kind">[] => [
  {
    because: "a bucket is named in one way",
    spec: { ...spec, bucketRef: { name: "media", id: "us-east-1/media" } },
    says: "exactly one of name and id must be given",
  },
  { because: "a bucket is named", spec: { ...spec, bucketRef: {} }, says: "exactly one of name and id must be given" },
  ...["media", "us-east-1/../media", "us-east-1/media?ssl"].map((id) => ({
    because: `${JSON.stringify(id)} is no cluster and label`,
    spec: { ...spec, bucketRef: { id } },
    says: "must be the cluster (or region) and the label of a bucket",
  })),
  { because: "a bucket's name is not empty", spec: { ...spec, bucketRef: { name: "" } }, says: "spec.bucketRef.name" },
];

const certificates: Omit<Refused, "kind">[] = [
  ...bucketRefs(certificate),
  { because: "it is of a bucket", spec: { secretRef: { name: "media-tls" } }, says: "spec.bucketRef" },
  { because: "it comes from a Secret", spec: { bucketRef: { name: "media" } }, says: "spec.secretRef" },
  { because: "a Secret is named", spec: { ...certificate, secretRef: {} }, says: "spec.secretRef.name" },
  { because: "a Secret is an object", spec: { ...certificate, secretRef: "media-tls" }, says: "spec.secretRef" },
  ...["Media", "shop/media-tls", "media_tls"].map((name) => ({
    because: `${name} is no name of a Secret in this namespace`,
    spec: { ...certificate, secretRef: { name } },
    says: "spec.secretRef.name",
  })),
  {
    because: "a Secret's name is not empty",
    spec: { ...certificate, secretRef: { name: "" } },
    says: "spec.secretRef.name",
  },
  {
    because: "a Secret's name is no longer than names are",
    spec: { ...certificate, secretRef: { name: "a".repeat(254) } },
    says: "spec.secretRef.name",
  },
  {
    because: "a bucket has one certificate, which has no number",
    spec: { ...certificate, management: { adopt: { id: "1001" } } },
    says: 'must be "ssl"',
  },
];

const url = { bucketRef: { name: "media" }, objectKey: "reports/2026.pdf", method: "GET" };
const put = { ...url, method: "PUT", contentType: "text/csv" };
const urls: Omit<Refused, "kind">[] = [
  ...bucketRefs(url),
  { because: "it is of a bucket", spec: { objectKey: "a", method: "GET" }, says: "spec.bucketRef" },
  { because: "an object is named", spec: { bucketRef: { name: "media" }, method: "GET" }, says: "spec.objectKey" },
  { because: "a name is not empty", spec: { ...url, objectKey: "" }, says: "spec.objectKey" },
  {
    because: "the bound of a name is in bytes",
    spec: { ...url, objectKey: "ä".repeat(513) },
    says: "must have at most 1024 bytes",
  },
  {
    because: "a URL leaves .. out",
    spec: { ...url, objectKey: ".." },
    says: "be neither . nor ..",
  },
  { because: "a method is chosen", spec: { bucketRef: { name: "media" }, objectKey: "a" }, says: "spec.method" },
  { because: "POST is no method of objects", spec: { ...url, method: "POST" }, says: "spec.method" },
  { because: "methods are in capitals", spec: { ...url, method: "get" }, says: "spec.method" },
  ...[359, 86_401].map((expiresInSeconds) => ({
    because: `the API refuses ${expiresInSeconds} seconds`,
    spec: { ...url, expiresInSeconds },
    says: "spec.expiresInSeconds",
  })),
  {
    because: "the API needs a type for PUT",
    spec: { ...url, method: "PUT" },
    says: "method PUT needs spec.contentType",
  },
  {
    because: "the API takes no type for GET",
    spec: { ...url, contentType: "text/csv" },
    says: "method PUT needs spec.contentType",
  },
  { because: "a type has two parts", spec: { ...put, contentType: "text" }, says: "must be a media type" },
  { because: "a type is one line", spec: { ...put, contentType: "text/csv\nx: y" }, says: "must be a media type" },
  {
    because: "a Secret's name is in lower case",
    spec: { ...url, secretName: "Url" },
    says: "spec.secretName",
  },
];

const robots = { bucketRef: { name: "media" }, objectKey: "robots.txt", contentSecretRef: { name: "robots" } };
const objects: Omit<Refused, "kind">[] = [
  ...bucketRefs(robots),
  ...["bucketRef", "objectKey"].map((field) => ({
    because: `${field} is missing`,
    spec: Object.fromEntries(Object.entries(robots).filter(([name]) => name !== field)),
    says: `spec.${field}`,
  })),
  { because: "a name is not empty", spec: { ...robots, objectKey: "" }, says: "spec.objectKey" },
  { because: "the status holds the name", spec: { ...robots, objectKey: "a".repeat(254) }, says: "spec.objectKey" },
  ...[".", ".."].map((objectKey) => ({
    because: `a URL leaves ${objectKey} out`,
    spec: { ...robots, objectKey },
    says: "be neither . nor ..",
  })),
  {
    because: "it has content",
    spec: { ...robots, contentSecretRef: undefined },
    says: "exactly one of contentSecretRef and contentConfigMapRef must be given",
  },
  {
    because: "it has one content",
    spec: { ...robots, contentConfigMapRef: { name: "robots" } },
    says: "exactly one of contentSecretRef and contentConfigMapRef must be given",
  },
  ...["contentSecretRef", "contentConfigMapRef"].map((field) => ({
    because: `a ${field === "contentSecretRef" ? "Secret" : "ConfigMap"} is named`,
    spec: { ...robots, contentSecretRef: undefined, [field]: { key: "a" } },
    says: `spec.${field}.name`,
  })),
  { because: "custom cannot be asked for", spec: { ...robots, acl: "custom" }, says: "spec.acl" },
  { because: "a type has two parts", spec: { ...robots, contentType: "text" }, says: "must be a media type" },
];

export const refusedStorage = {
  ObjectStorageKey: refusedKeys,
  BucketCertificate: certificates,
  PresignedURL: urls,
  BucketObject: objects,
  Image: refusedImages,
};
