import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/api/types.ts";
import { creationBody, differencesIn, identity, shows } from "../../src/core/kind/fields.ts";
import { objectStorageKey as kind } from "../../src/kinds/objectstorage/object-storage-key.ts";
import { changed, live } from "./live.ts";

const media = { id: "us-east-1/media", status: { hostname: "media.us-east-1.objects.example" } };
const logs = { id: "us-east-1/logs" };
const far = { id: "eu-west-1/far", status: { hostname: "far.eu-west-1.objects.example" } };
const access = (...names: string[]) => names.map((name) => ({ bucketRef: { name }, permissions: "read_only" }));
const entry = (cluster: string, bucket: string) => ({ cluster, bucket_name: bucket, permissions: "read_only" });
const wire = { id: 7, label: "web-1", access_key: "AK1", limited: true, bucket_access: [entry("us-east-1", "media")] };

describe("the creation", () => {
  it.each([
    { why: "no list is every bucket, and nothing is sent of it", spec: {}, refs: {}, body: {} },
    {
      why: "an empty list is no bucket",
      spec: { bucketAccess: [] },
      refs: { bucketAccess: [] },
      body: { bucket_access: [] },
    },
    {
      why: "a bucket is named by cluster and label, each with its permissions, in one order",
      spec: { bucketAccess: access("media", "logs") },
      refs: { bucketAccess: [media, logs] },
      body: { bucket_access: [entry("us-east-1", "logs"), entry("us-east-1", "media")] },
    },
  ])("asks for buckets: $why", ({ spec, refs, body }) => {
    expect(creationBody(kind, live(kind, { spec, refs }))).toEqual({ label: "web-1", ...body });
  });

  it.each([
    { why: "what was asked for", bucketAccess: access("media"), refs: [media], same: true },
    { why: "another bucket", bucketAccess: access("logs"), refs: [logs], same: false },
    { why: "one for every bucket", bucketAccess: undefined, refs: undefined, same: false },
  ])("is recognised by its buckets: $why", ({ bucketAccess, refs, same }) => {
    const pattern = identity(kind, live(kind, { spec: { bucketAccess }, refs: { bucketAccess: refs } }));
    expect(shows(kind, wire, pattern)).toBe(same);
  });
});

it.each([
  { why: "a newer region has no cluster", of: { cluster: "", region: "us-iad" } },
  { why: "nor need it be named", of: { cluster: null, region: "us-iad" } },
  { why: "or even be there", of: { region: "us-iad" } },
])("a bucket of the list is known by its region: $why", ({ of }) => {
  const { cluster: _, ...named } = entry("", "far");
  const spec = { bucketAccess: access("far") };
  const refs = { bucketAccess: [{ id: "us-iad/far" }] };
  const shown = { ...wire, bucket_access: [{ ...named, ...of }] };
  expect(differencesIn(kind, live(kind, { spec, refs, wire: shown }), kind.wire.parse(shown) as JsonObject)).toEqual(
    [],
  );
  expect(shows(kind, shown, identity(kind, live(kind, { spec, refs })))).toBe(true);
});

it("an update sends the label alone", () => {
  const spec = { label: "b", rotation: 4, bucketAccess: access("logs") };
  expect(changed(kind, { spec, refs: { bucketAccess: [logs] }, wire })).toEqual(["label"]);
});

describe("the Secret says where the key is used", () => {
  it.each([
    { why: "every bucket", refs: undefined, data: {} },
    { why: "a bucket without an object", refs: [logs], data: { AWS_REGION: "us-east-1" } },
    {
      why: "buckets of one cluster",
      refs: [logs, media],
      data: { AWS_REGION: "us-east-1", AWS_ENDPOINT_URL: "https://us-east-1.objects.example" },
    },
    { why: "buckets of two clusters", refs: [media, far], data: {} },
  ])("$why", ({ refs, data }) => {
    expect(kind.secret?.data(live(kind, { spec: {}, refs: { bucketAccess: refs }, wire }), {})).toEqual(data);
  });
});
