/** Specs of object storage, buckets apart, that are refused: part of refused.ts. */
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
    says: "must be the name of a Secret",
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

export const refusedObjectStorage = { ObjectStorageKey: refusedKeys, BucketCertificate: certificates };
