/** The hash of a plan covers each byte that would leave, also bytes that no request body holds. */
import { approveAnnotation } from "../../../src/core/kind/annotations.ts";
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { configMaps } from "../../../src/cluster/config-maps.ts";
import { secrets } from "../../../src/cluster/secrets.ts";
import { storedIn } from "../../world/storage.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, messageOf, specs, stateOf } from "../support.ts";

const minute = 60_000;
const key = "robots.txt";
const named = { namespace: "default", name: "robots" };
const sources = [
  { what: "a Secret", resource: secrets, ref: { contentSecretRef: { name: "robots" } }, text: "stringData" },
  { what: "a ConfigMap", resource: configMaps, ref: { contentConfigMapRef: { name: "robots" } }, text: "data" },
];

type SourceOf = (typeof sources)[number];

async function planned({ resource, ref, text }: SourceOf): Promise<World> {
  const world = createWorld();
  world.cluster.objects.create(resource, { metadata: named, [text]: { content: "reviewed" } });
  world.cluster.create("Bucket", "media", specs.Bucket);
  await world.advance(minute);
  const spec = { bucketRef: { name: "media" }, objectKey: key, ...ref };
  world.cluster.create("BucketObject", "robots", spec, { management: { policy: "Plan" } });
  await world.advance(minute);
  expect(stateOf(world, "BucketObject", "robots")).toBe("WaitingForApproval");
  return world;
}

function replace(world: World, { resource, text }: SourceOf, content: string): void {
  world.cluster.objects.patch(resource, named, { [text]: { content } });
}

function hashOf(world: World): string | undefined {
  return (world.cluster.get("BucketObject", "robots")?.status as { plan?: { hash: string } } | undefined)?.plan?.hash;
}

function approve(world: World, hash = hashOf(world) ?? ""): void {
  world.cluster.annotate("BucketObject", "robots", { [approveAnnotation]: hash });
}

function contentIn({ cloud }: World): string | undefined {
  const found = storedIn(cloud.find("/object-storage/buckets", "us-east-1/media")!)[key];
  return found && Buffer.from(found.content, "base64").toString();
}

it.each(sources)(
  "content of $what that was replaced after the review is not created under the approved hash",
  async (source) => {
    const world = await planned(source);
    const reviewed = hashOf(world);
    const before = changes(world);
    replace(world, source, "replaced");
    approve(world, reviewed);
    await world.advance(30 * minute);
    expect(changes(world)).toEqual(before);
    expect(stateOf(world, "BucketObject", "robots")).toBe("WaitingForApproval");
    expect(hashOf(world)).not.toBe(reviewed);
    approve(world);
    await world.advance(minute);
    expect(contentIn(world)).toBe("replaced");
  },
);

it.each(sources)(
  "content of $what that was replaced after the review is not an update under the approved hash",
  async (source) => {
    const world = await planned(source);
    approve(world);
    await world.advance(minute);
    expect(contentIn(world)).toBe("reviewed");
    replace(world, source, "second");
    await world.advance(minute);
    const reviewed = hashOf(world);
    expect(reviewed).toBeDefined();
    replace(world, source, "third");
    approve(world, reviewed);
    await world.advance(30 * minute);
    expect(contentIn(world)).toBe("reviewed");
    expect(hashOf(world)).not.toBe(reviewed);
  },
);

it.each(sources)("a plan for new content of $what names the field of the spec", async (source) => {
  const world = await planned(source);
  approve(world);
  await world.advance(minute);
  replace(world, source, "second");
  await world.advance(minute);
  expect(messageOf(world, "BucketObject", "robots")).toContain(`${Object.keys(source.ref)[0]}: (sensitive)`);
});

it("content that is replaced while the approved request waits for the cloud is planned again", async () => {
  const [source] = sources as [SourceOf];
  const world = await planned(source);
  world.cloud.fault({ kind: "busy", method: "POST", times: 2 });
  approve(world);
  await world.advance(200);
  replace(world, source, "replaced");
  await world.advance(30 * minute);
  expect(contentIn(world)).toBeUndefined();
  expect(stateOf(world, "BucketObject", "robots")).toBe("WaitingForApproval");
});

it("the object with a plan shows no digest by which short content could be guessed", async () => {
  const [source] = sources as [SourceOf];
  const shown = JSON.stringify((await planned(source)).cluster.get("BucketObject", "robots"));
  for (const algorithm of ["md5", "sha256"])
    for (const encoding of ["hex", "base64url"] as const)
      expect(shown).not.toContain(createHash(algorithm).update("reviewed").digest(encoding).slice(0, 16));
});
