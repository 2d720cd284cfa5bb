/** Objects of a bucket with content from a ConfigMap. */
import { describe, expect, it } from "vitest";
import { configMaps } from "../../../src/cluster/config-maps.ts";
import { storedIn } from "../../world/storage.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { messageOf, stateOf } from "../support.ts";

const kind = "BucketObject";
const minute = 60_000;
const contentConfigMapRef = { name: "site", key: "index.html" };
const spec = { bucketRef: { name: "media" }, objectKey: "index.html", contentConfigMapRef };
const ref = { namespace: "default", name: "site" };

function withBucket(options?: Parameters<typeof createWorld>[0]): World {
  const world = createWorld(options);
  world.cluster.create("Bucket", "media", { cluster: "us-east-1" });
  return world;
}

async function withObject(content: object, options?: Parameters<typeof createWorld>[0]): Promise<World> {
  const world = withBucket(options);
  world.cluster.objects.create(configMaps, { metadata: ref, ...content });
  world.cluster.create(kind, "site", spec);
  await world.advance(minute);
  return world;
}

function stored({ cloud }: World): string | undefined {
  return storedIn(cloud.find("/object-storage/buckets", "us-east-1/media")!)["index.html"]?.content;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

function change(world: World, text: string): void {
  world.cluster.objects.patch(configMaps, ref, { data: { "index.html": text } });
}

it("follows it within five seconds", async () => {
  const world = await withObject({ data: { "index.html": "<p>Grüße" } });
  expect(stateOf(world, kind, "site"), messageOf(world, kind, "site")).toBe("Ready");
  expect(stored(world)).toBe(base64("<p>Grüße"));
  change(world, "<p>Hello");
  await world.advance(5_000);
  expect(stored(world)).toBe(base64("<p>Hello"));
});

it("follows it within a poll and a half where it may be neither listed nor watched", async () => {
  const world = await withObject({ data: { "index.html": "old" } }, { secretsEveryMs: minute });
  change(world, "new");
  await world.advance(1.5 * minute);
  expect(stored(world)).toBe(base64("new"));
});

it("takes a change that came while no operator ran", async () => {
  const world = await withObject({ data: { "index.html": "old" } });
  world.crash();
  change(world, "new");
  world.restart();
  await world.advance(minute);
  expect(stored(world)).toBe(base64("new"));
});

it("has the bytes of its binaryData", async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString("base64");
  expect(stored(await withObject({ binaryData: { "index.html": bytes } }))).toBe(bytes);
});

describe("waits for it, and says for what", () => {
  it.each([
    { what: "the ConfigMap", content: undefined, says: "ConfigMap site does not exist" },
    { what: "its key", content: { data: { other: "text" } }, says: "ConfigMap site has no key index.html" },
  ])("where $what is missing", async ({ content, says }) => {
    const world = withBucket();
    if (content) world.cluster.objects.create(configMaps, { metadata: ref, ...content });
    world.cluster.create(kind, "site", spec);
    await world.advance(minute);
    expect(stateOf(world, kind, "site")).toBe("WaitingForReference");
    expect(messageOf(world, kind, "site")).toContain(says);
    if (content) change(world, "there");
    else world.cluster.objects.create(configMaps, { metadata: ref, data: { "index.html": "there" } });
    await world.advance(5_000);
    expect(stored(world)).toBe(base64("there"));
  });
});

it("stays in the bucket while its ConfigMap is gone, which the condition names", async () => {
  const world = await withObject({ data: { "index.html": "kept" } });
  world.cluster.delete("ConfigMap", "site");
  await world.advance(minute);
  expect(stateOf(world, kind, "site")).toBe("WaitingForReference");
  expect(messageOf(world, kind, "site")).toContain("Key index.html of ConfigMap site does not exist");
  expect(stored(world)).toBe(base64("kept"));
});

it("may have its content from a Secret afterwards", async () => {
  const world = await withObject({ data: { "index.html": "public" } });
  world.cluster.secret("site", { content: "from the Secret" });
  const contentSecretRef = { name: "site" };
  world.cluster.patch(kind, "site", { spec: { contentConfigMapRef: null, contentSecretRef } });
  await world.advance(minute);
  expect(stored(world)).toBe(base64("from the Secret"));
  change(world, "of no interest");
  await world.advance(minute);
  expect(stored(world)).toBe(base64("from the Secret"));
});
