/** What has no origin of its own is in something whose name others have by now: nothing in theirs is changed or deleted. */
import { describe, expect, it } from "vitest";
import { secrets } from "../../../src/cluster/secrets.ts";
import { firstPair, secondPair } from "../../../src/kinds/objectstorage/certificate-examples.ts";
import type { World } from "../../world/world.ts";
import { resources } from "../../../src/twin/definitions.ts";
import { recordOf } from "../../world/record.ts";
import { begin, buckets, changes, follow, giveAway, messageOf, minutes, stateOf } from "../support.ts";

const id = "us-east-1/media";
const theirs = { certificate: "theirs", private_key: "theirs" };

const kinds = {
  BucketCertificate: { secret: firstPair, spec: { bucketRef: { name: "media" }, secretRef: { name: "input" } } },
  BucketObject: {
    secret: { content: "same for everybody" },
    spec: { bucketRef: { name: "media" }, objectKey: "robots.txt", contentSecretRef: { name: "input" } },
  },
} as const;
type Within = keyof typeof kinds;
const names = Object.keys(kinds) as Within[];

async function withContent(kind: Within): Promise<World> {
  const world = await begin();
  world.cluster.create("Bucket", "media", { cluster: "us-east-1" });
  world.cluster.secret("input", kinds[kind].secret);
  world.cluster.create(kind, "own", kinds[kind].spec);
  await world.advance(minutes(3));
  expect(world.cluster.get(kind, "own")).toBeReady();
  return world;
}

/** …in a bucket that no object manages. */
async function withContentById(kind: Within, forMs: number): Promise<World> {
  const world = await begin();
  world.cloud.add(buckets, { label: "media", cluster: "us-east-1" });
  await world.advance(minutes(90));
  world.cluster.secret("input", kinds[kind].secret);
  world.cluster.create(kind, "own", { ...kinds[kind].spec, bucketRef: { id } });
  await world.advance(forMs);
  expect(stateOf(world, kind, "own"), messageOf(world, kind, "own")).toBe("Ready");
  return world;
}

/** Others have a bucket of the name, with the like in it. */
function giveBucketAway(world: World): Record<string, unknown> {
  const own = world.cloud.find(buckets, id)!;
  const { beside: now } = giveAway(world, own);
  Object.assign(now, structuredClone(own.beside), "certificate" in own.beside ? { certificate: theirs } : {});
  return now;
}

describe.each(names)("a %s in a bucket of which others have the name", (kind) => {
  async function isLeft(world: World, since: number): Promise<void> {
    expect(stateOf(world, kind, "own")).toBe("Conflict");
    expect(messageOf(world, kind, "own")).toMatch(
      /^Bucket .*is now a different cloud object than at the creation of bucket /,
    );
    follow(world, kind, "own", "orphan");
    await world.advance(minutes(1));
    expect(world.cluster.get(kind, "own")).toBeUndefined();
    expect(changes(world, since)).toEqual([]);
  }

  it.each([false, true])("is not deleted with its object; restart: %s", async (restart) => {
    const world = await withContent(kind);
    const before = structuredClone(giveBucketAway(world));
    const since = world.cloud.ledger().length;
    if (restart) world.restart();
    await world.advance(minutes(5));
    world.cluster.delete(kind, "own");
    await world.advance(minutes(5));
    await isLeft(world, since);
    expect(world.cloud.find(buckets, id)?.beside).toEqual(before);
  });

  it("…nor where the object of the bucket was let go before", async () => {
    const world = await withContent(kind);
    giveBucketAway(world);
    const since = world.cloud.ledger().length;
    await world.advance(minutes(2));
    world.cluster.annotate("Bucket", "media", { "cloudplatform.dev/orphan": "true" });
    world.cluster.delete("Bucket", "media");
    world.cluster.delete(kind, "own");
    await world.advance(minutes(5));
    expect(world.cluster.get("Bucket", "media")).toBeUndefined();
    await isLeft(world, since);
  });

  it("is left in the cloud if a user removed the record, and the bucket's object is gone", async () => {
    const world = await withContent(kind);
    await world.advance(minutes(90));
    world.crash();
    expect(recordOf(world.cluster.get(kind, "own")).applied).toMatchObject({
      within: expect.stringMatching(/^20/) as string,
    });
    const of = { namespace: "default", name: "own" };
    const nothing = { record: null };
    world.cluster.objects.patch(resources.get(kind)!, of, { status: nothing }, "status");
    giveBucketAway(world);
    world.cloud.change(buckets, id, { created: world.clock.date().toISOString().slice(0, 19) });
    const since = world.cloud.ledger().length;
    world.cluster.patch("Bucket", "media", { metadata: { finalizers: [] } });
    world.cluster.delete("Bucket", "media");
    world.restart();
    world.cluster.delete(kind, "own");
    await world.advance(minutes(5));
    await isLeft(world, since);
  });

  it.each([true, false])(
    "is left in the cloud if a user removed the record, and it is reconciled in the other bucket before; restart: %s",
    async (restart) => {
      const world = await withContentById(kind, minutes(10));
      if (restart) world.crash();
      giveBucketAway(world);
      world.cloud.change(buckets, id, { created: world.clock.date().toISOString().slice(0, 19) });
      const left = { record: null };
      const of = { namespace: "default", name: "own" };
      world.cluster.objects.patch(resources.get(kind)!, of, { status: left }, "status");
      const since = world.cloud.ledger().length;
      if (restart) world.restart();
      await world.advance(minutes(30));
      expect(stateOf(world, kind, "own"), messageOf(world, kind, "own")).toBe("Conflict");
      world.cluster.delete(kind, "own");
      await world.advance(minutes(5));
      await isLeft(world, since);
    },
  );

  it("is of the bucket that it was created in, where that was made again a moment before", async () => {
    const world = await begin();
    world.cloud.add(buckets, { label: "media", cluster: "us-east-1" });
    // Others know the bucket, so that it is not read for this object.
    world.cluster.secret("input", { ...kinds[kind].secret, content: "same for everybody" });
    const other = { ...kinds.BucketObject.spec, objectKey: "other.txt", bucketRef: { id } };
    world.cluster.create("BucketObject", "other", other);
    await world.advance(minutes(3));
    giveBucketAway(world);
    world.cluster.create(kind, "own", { ...kinds[kind].spec, bucketRef: { id } });
    await world.advance(minutes(25));
    expect(stateOf(world, kind, "own"), messageOf(world, kind, "own")).toBe("Ready");
    world.cluster.delete(kind, "own");
    await world.advance(minutes(2));
    expect(world.cluster.get(kind, "own")).toBeUndefined();
    expect(JSON.stringify(world.cloud.find(buckets, id)?.beside)).not.toMatch(/BEGIN|robots/);
  });

  it("is not created while nothing shows when the bucket was created", async () => {
    const world = await begin();
    const bucket = world.cloud.add(buckets, { label: "media", cluster: "us-east-1" });
    world.cloud.fault({ kind: "empty", method: "GET", path: new RegExp(`^${buckets}/${id}$`), times: 3 });
    world.cluster.secret("input", kinds[kind].secret);
    world.cluster.create(kind, "own", { ...kinds[kind].spec, bucketRef: { id } });
    await world.advance(20_000);
    expect(changes(world)).toEqual([]);
    expect(messageOf(world, kind, "own")).toContain("does not show the creation time");
    await world.advance(minutes(10));
    expect(world.cluster.get(kind, "own")).toBeReady();
    expect(recordOf(world.cluster.get(kind, "own")).applied).toMatchObject({
      within: `${JSON.stringify(bucket.fields["created"]).slice(1, -1)}.000Z`,
    });
  });

  it("says so where its bucket is another one, before anything is changed", async () => {
    const world = await withContentById(kind, minutes(5));
    giveBucketAway(world);
    await world.advance(minutes(25));
    expect(stateOf(world, kind, "own")).toBe("Conflict");
    expect(messageOf(world, kind, "own")).toContain("Delete this object, or create another Bucket");
  });

  it.each(["made again", "adopted"])(
    "is kept in the bucket that was %s, where it was put back by hand",
    async (how) => {
      const world = await withContent(kind);
      const before = { ...world.cloud.find(buckets, id)!.beside };
      if (how === "adopted") {
        giveBucketAway(world);
        await world.advance(minutes(3));
        world.cluster.patch("Bucket", "media", { spec: { management: { adopt: { id } } } });
      } else {
        world.cluster.patch("Bucket", "media", { spec: { management: { missingPolicy: "Recreate" } } });
        await world.advance(minutes(1));
        world.cloud.remove(buckets, id);
        await world.advance(minutes(1));
      }
      Object.assign(world.cloud.find(buckets, id)?.beside ?? {}, before);
      await world.advance(minutes(15));
      expect([stateOf(world, "Bucket", "media"), stateOf(world, kind, "own")]).toEqual(["Ready", "Ready"]);
      const since = world.cloud.ledger().length;
      const next = kind === "BucketCertificate" ? secondPair : { content: "another" };
      world.cluster.objects.patch(secrets, { namespace: "default", name: "input" }, { stringData: next });
      await world.advance(minutes(2));
      expect(stateOf(world, kind, "own"), messageOf(world, kind, "own")).toBe("Ready");
      expect(changes(world, since)).not.toEqual([]);
      world.cluster.delete(kind, "own");
      await world.advance(minutes(2));
      expect(world.cluster.get(kind, "own")).toBeUndefined();
    },
  );

  it("is not deleted while the bucket is answered as not there", async () => {
    const world = await withContent(kind);
    giveBucketAway(world);
    const since = world.cloud.ledger().length;
    world.cloud.fault({ kind: "notFound", method: "GET", path: new RegExp(`^${buckets}/${id}$`), times: 10_000 });
    world.cluster.delete(kind, "own");
    await world.advance(minutes(5));
    expect(changes(world, since)).toEqual([]);
    expect(messageOf(world, kind, "own")).toContain("does not exist. The operator reads both again");
    world.cloud.clearFaults();
    await world.advance(minutes(10));
    await isLeft(world, since);
  });

  it("…nor while nothing shows when the bucket was created", async () => {
    const world = await withContent(kind);
    giveBucketAway(world);
    const since = world.cloud.ledger().length;
    world.cloud.change(buckets, id, { created: null });
    world.cluster.delete(kind, "own");
    await world.advance(minutes(15));
    expect(changes(world, since)).toEqual([]);
    expect(messageOf(world, kind, "own")).toContain("orphan");
  });

  it("is deleted where the bucket is the same", async () => {
    const world = await withContent(kind);
    world.cluster.delete(kind, "own");
    await world.advance(minutes(2));
    expect(world.cluster.get(kind, "own")).toBeUndefined();
    expect(JSON.stringify(world.cloud.find(buckets, id)?.beside)).not.toMatch(/BEGIN|robots/);
  });

  it("goes with its object where the bucket is gone", async () => {
    const world = await withContent(kind);
    world.cloud.remove(buckets, id);
    world.cluster.delete(kind, "own");
    await world.advance(minutes(5));
    expect(world.cluster.get(kind, "own")).toBeUndefined();
  });
});

/** The Secret has another certificate. */
function renew(world: World): void {
  world.cluster.objects.patch(secrets, { namespace: "default", name: "input" }, { stringData: secondPair });
}

it("a certificate is not renewed in a bucket of which others have the name", async () => {
  const world = await withContent("BucketCertificate");
  const now = giveBucketAway(world);
  const since = world.cloud.ledger().length;
  renew(world);
  await world.advance(minutes(10));
  expect(changes(world, since)).toEqual([]);
  expect(now["certificate"]).toEqual(theirs);
});

it("a certificate is not removed where the next one could not be uploaded", async () => {
  const world = await withContent("BucketCertificate");
  const since = world.cloud.ledger().length;
  world.cloud.fault({ kind: "html502", method: "GET", path: new RegExp(`^${buckets}/${id}$`), times: 10_000 });
  renew(world);
  await world.advance(minutes(2));
  expect(changes(world, since)).toEqual([]);
  expect(stateOf(world, "BucketCertificate", "own")).toBe("CloudUnavailable");
  world.cloud.clearFaults();
  await world.advance(minutes(6));
  expect(changes(world, since)).toHaveLength(2);
  expect(world.cluster.get("BucketCertificate", "own")).toBeReady();
});
