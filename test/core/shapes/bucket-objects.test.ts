/** Objects of a bucket: the content of the Secret is there, and what somebody else has put there is neither replaced nor deleted unasked. */
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { secrets } from "../../../src/cluster/secrets.ts";
import { signature, storedIn } from "../../world/storage.ts";
import type { Stored } from "../../world/storage.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, messageOf, stateOf } from "../support.ts";

const kind = "BucketObject";
const key = "web/robots.txt";
const spec = { bucketRef: { name: "media" }, objectKey: key, contentSecretRef: { name: "robots" } };
const url = "POST /object-storage/buckets/us-east-1/media/object-url";
const stored = `/objects/us-east-1/media/${encodeURIComponent(key)}`;
const minute = 60_000;

async function withBucket(content: object | undefined = { stringData: { content: "allow" } }): Promise<World> {
  const world = createWorld();
  world.cluster.create("Bucket", "media", { cluster: "us-east-1" });
  if (content)
    world.cluster.objects.create(secrets, { metadata: { namespace: "default", name: "robots" }, ...content });
  await world.advance(minute);
  return world;
}

async function withObject(fields: object = {}, management?: object): Promise<World> {
  const world = await withBucket();
  world.cluster.create(kind, "robots", { ...spec, ...fields }, management && { management });
  await world.advance(minute);
  return world;
}

function all({ cloud }: World): Record<string, Stored> {
  return storedIn(cloud.find("/object-storage/buckets", "us-east-1/media")!);
}

function textOf(world: World, name = key): string | undefined {
  const found = all(world)[name];
  return found && Buffer.from(found.content, "base64").toString();
}

/** Another client writes it. */
function put(world: World, text: string, name = key): void {
  all(world)[name] = { content: Buffer.from(text).toString("base64"), acl: "private" };
}

function change(world: World, content: string): void {
  world.cluster.objects.patch(secrets, { namespace: "default", name: "robots" }, { stringData: { content } });
}

it("is written through a pre-signed URL once, beside one whose name is longer", async () => {
  const world = await withBucket();
  put(world, "other", `${key}.old`);
  world.cluster.create(kind, "robots", spec);
  await world.advance(minute);
  expect(stateOf(world, kind, "robots"), messageOf(world, kind, "robots")).toBe("Ready");
  expect(textOf(world)).toBe("allow");
  world.restart();
  await world.advance(30 * minute);
  expect(changes(world).slice(1)).toEqual([url, `PUT ${stored}`]);
  expect(textOf(world, `${key}.old`)).toBe("other");
  const said = JSON.stringify([world.cluster.get(kind, "robots"), world.cluster.events(), world.lines()]);
  expect(said).not.toContain(signature);
});

it("shows nobody its digest, by which short content could be guessed", async () => {
  const world = await withObject();
  change(world, "disallow");
  await world.advance(minute);
  world.cluster.patch(kind, "robots", { spec: { management: { driftPolicy: "Report" } } });
  await world.advance(minute);
  put(world, "somebody else's");
  await world.advance(5 * minute);
  const said = JSON.stringify([world.cluster.get(kind, "robots"), world.cluster.events(), world.lines()]);
  expect(said).toContain("Drifted");
  for (const text of ["allow", "disallow", "somebody else's"])
    expect(said).not.toContain(createHash("md5").update(text).digest("hex"));
});

it("of any bytes arrives byte for byte", async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const world = await withBucket({ data: { content: bytes.toString("base64") } });
  world.cluster.create(kind, "robots", spec);
  await world.advance(minute);
  expect(all(world)[key]?.content).toBe(bytes.toString("base64"));
});

it("follows its Secret within five seconds, keeps its ACL, and is set right where somebody has overwritten it", async () => {
  const world = await withObject({ acl: "public-read" });
  expect(all(world)[key]?.acl).toBe("public-read");
  change(world, "disallow");
  await world.advance(5_000);
  expect(textOf(world)).toBe("disallow");
  await world.advance(minute);
  expect(all(world)[key]?.acl).toBe("public-read");
  put(world, "somebody else's");
  await world.advance(3 * minute);
  expect(all(world)[key]).toEqual({ content: Buffer.from("disallow").toString("base64"), acl: "public-read" });
  expect(stateOf(world, kind, "robots"), messageOf(world, kind, "robots")).toBe("Ready");
});

it("is written again where somebody has deleted it", async () => {
  const world = await withObject();
  delete all(world)[key];
  await world.advance(3 * minute);
  expect(textOf(world)).toBe("allow");
});

it("stays while its Secret is gone, which the condition names", async () => {
  const world = await withObject();
  world.cluster.delete("Secret", "robots");
  await world.advance(minute);
  expect(messageOf(world, kind, "robots")).toContain("Key content of Secret robots");
  expect(textOf(world)).toBe("allow");
});

describe("an upload without a response", () => {
  it("that is carried out just before it is repeated is the object's own, and goes with it", async () => {
    const world = await withBucket();
    world.cloud.fault({ kind: "lostBefore", method: "PUT" });
    world.cloud.onTouch(({ path }) => {
      const isRepeated = changes(world).filter((call) => call === url).length === 2;
      if (path.endsWith("/object-url") && isRepeated && textOf(world) === undefined) put(world, "allow");
    });
    world.cluster.create(kind, "robots", spec);
    await world.advance(5 * minute);
    expect(stateOf(world, kind, "robots"), messageOf(world, kind, "robots")).toBe("Ready");
    expect(changes(world).slice(1)).toEqual([url, `PUT ${stored}`, url]);
    world.cluster.delete(kind, "robots");
    await world.advance(5 * minute);
    expect(world.cluster.get(kind, "robots")).toBeUndefined();
    expect(textOf(world)).toBeUndefined();
  });

  it("is not what somebody else has written meanwhile, with other content", async () => {
    const world = await withBucket();
    world.cloud.fault({ kind: "lostBefore", method: "PUT" });
    world.cluster.create(kind, "robots", spec);
    await world.advance(3_000);
    put(world, "somebody else's");
    await world.advance(10 * minute);
    expect(stateOf(world, kind, "robots"), messageOf(world, kind, "robots")).toBe("Conflict");
    world.cluster.delete(kind, "robots");
    await world.advance(10 * minute);
    expect(world.cluster.get(kind, "robots")).toBeUndefined();
    expect(textOf(world)).toBe("somebody else's");
  });
});

describe("one of somebody else under the same name", () => {
  it("is a conflict, and is taken over where that is asked for", async () => {
    const world = await withBucket();
    put(world, "somebody else's");
    world.cluster.create(kind, "robots", spec);
    await world.advance(5 * minute);
    expect(stateOf(world, kind, "robots")).toBe("Conflict");
    expect(textOf(world)).toBe("somebody else's");
    world.cluster.patch(kind, "robots", { spec: { management: { adopt: { id: key, overwrite: true } } } });
    await world.advance(minute);
    expect(stateOf(world, kind, "robots"), messageOf(world, kind, "robots")).toBe("Ready");
    expect(textOf(world)).toBe("allow");
  });

  it("that comes between the list and the request is not overwritten, and stays when the object goes", async () => {
    const world = await withBucket();
    world.cloud.onTouch((entry) => {
      if (entry.path.endsWith("/object-url") && textOf(world) === undefined) put(world, "somebody else's");
    });
    world.cluster.create(kind, "robots", spec);
    await world.advance(10 * minute);
    expect(stateOf(world, kind, "robots")).toBe("Conflict");
    world.cluster.delete(kind, "robots");
    await world.advance(10 * minute);
    expect(world.cluster.get(kind, "robots")).toBeUndefined();
    expect(textOf(world)).toBe("somebody else's");
    expect(changes(world).filter((call) => call.endsWith(stored))).toEqual([]);
  });

  it("that has replaced it just before its deletion is not deleted", async () => {
    const world = await withObject();
    world.crash();
    put(world, "somebody else's");
    world.cluster.delete(kind, "robots");
    world.restart();
    await world.advance(10 * minute);
    expect(stateOf(world, kind, "robots")).toBe("Conflict");
    expect(textOf(world)).toBe("somebody else's");
    world.cluster.annotate(kind, "robots", { "cloudplatform.dev/orphan": "true" });
    await world.advance(minute);
    expect(world.cluster.get(kind, "robots")).toBeUndefined();
  });
});

it("is deleted with its object, before its bucket", async () => {
  const world = await withObject();
  world.cluster.delete("Bucket", "media");
  await world.advance(minute);
  expect(stateOf(world, "Bucket", "media")).toBe("WaitingForDependents");
  world.cluster.delete(kind, "robots");
  await world.advance(2 * minute);
  expect(world.cluster.get(kind, "robots")).toBeUndefined();
  expect(world.cluster.get("Bucket", "media")).toBeUndefined();
});

it("goes when somebody has deleted its bucket", async () => {
  const world = await withObject();
  world.cloud.remove("/object-storage/buckets", "us-east-1/media");
  world.cluster.delete(kind, "robots");
  await world.advance(10 * minute);
  expect(world.cluster.get(kind, "robots")).toBeUndefined();
});

describe("it is there with the content of its Secret in the end, and nothing is sent any more", () => {
  it.each(Array.from({ length: 14 }, (_, steps) => steps))(
    "where the operator ends %d steps into it",
    async (steps) => {
      const world = await withBucket();
      world.crashAfter(steps);
      world.cluster.create(kind, "robots", spec);
      await world.advance(minute);
      world.restart();
      await world.advance(10 * minute);
      expect(stateOf(world, kind, "robots"), messageOf(world, kind, "robots")).toBe("Ready");
      expect(textOf(world)).toBe("allow");
      const sent = changes(world).length;
      await world.advance(30 * minute);
      expect(changes(world)).toHaveLength(sent);
    },
  );

  it.each(["lostBefore", "lostAfter", "html502", "html502After"] as const)(
    "where its upload meets %s",
    async (fault) => {
      const world = await withBucket();
      world.cloud.fault({ kind: fault, method: "PUT" });
      world.cluster.create(kind, "robots", spec);
      await world.advance(10 * minute);
      expect(stateOf(world, kind, "robots"), messageOf(world, kind, "robots")).toBe("Ready");
      expect(textOf(world)).toBe("allow");
    },
  );
});
