/** Pre-signed URLs: one that is valid is in the Secret at any time, and nowhere else. */
import { expect, it } from "vitest";
import { secrets } from "../../../src/cluster/secrets.ts";
import { signature } from "../../world/storage.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { dataOf } from "../secrets/keys.ts";
import { changes, messageOf, stateOf } from "../support.ts";

const kind = "PresignedURL";
const secretName = "report-presigned-url";
const path = "/object-storage/buckets/us-east-1/media/object-url";
const spec = { bucketRef: { name: "media" }, objectKey: "reports/2026.pdf", method: "GET", expiresInSeconds: 3_600 };
const minute = 60_000;

async function withURL(management?: object): Promise<World> {
  const world = createWorld();
  world.cluster.create("Bucket", "media", { cluster: "us-east-1" });
  await world.advance(minute);
  world.cluster.create(kind, "report", spec, management && { management });
  await world.advance(minute);
  return world;
}

function signed(world: World): number {
  return changes(world).filter((call) => call === `POST ${path}`).length;
}

function urlIn(world: World, name = secretName): string | undefined {
  return dataOf(world, name)?.["url"];
}

it("is in a Secret, and is made once while nothing changes, also by another process", async () => {
  const world = await withURL();
  expect(stateOf(world, kind, "report"), messageOf(world, kind, "report")).toBe("Ready");
  expect(dataOf(world, secretName)).toEqual({
    method: "GET",
    url: expect.stringContaining("reports%2F2026.pdf?for=GET"),
  });
  world.restart();
  await world.advance(30 * minute);
  expect(signed(world)).toBe(1);
});

it("is made anew when two thirds of its life are over, and the status says until when it is valid", async () => {
  const world = await withURL();
  const before = urlIn(world);
  const { status } = world.cluster.get(kind, "report")!;
  const left = Date.parse(String(status?.["expiresAt"])) - world.clock.date().getTime();
  expect(left).toBeGreaterThan(58 * minute);
  expect(left).toBeLessThanOrEqual(60 * minute);
  await world.advance(37 * minute);
  expect(urlIn(world)).toBe(before);
  await world.advance(4 * minute);
  expect(urlIn(world)).not.toBe(before);
  expect(signed(world)).toBe(2);
  await world.advance(200 * minute);
  expect(signed(world)).toBe(7);
});

it("is made anew by a process that begins after it has expired", async () => {
  const world = await withURL();
  const before = urlIn(world);
  world.crash();
  await world.advance(120 * minute);
  world.restart();
  await world.advance(minute);
  expect(urlIn(world)).not.toBe(before);
  expect(signed(world)).toBe(2);
});

it.each<{ why: string; act: (world: World) => void }>([
  { why: "its Secret was deleted", act: (world) => world.cluster.delete("Secret", secretName) },
  {
    why: "its Secret was edited",
    act: ({ cluster }) =>
      void cluster.objects.patch(
        secrets,
        { namespace: "default", name: secretName },
        { stringData: { url: "https://evil" } },
      ),
  },
  {
    why: "another object is asked for",
    act: ({ cluster }) => void cluster.patch(kind, "report", { spec: { objectKey: "other.pdf" } }),
  },
])("is made anew where $why", async ({ act }) => {
  const world = await withURL();
  const before = urlIn(world);
  act(world);
  await world.advance(11 * minute);
  expect(urlIn(world)).toMatch(/^https:\/\/objects\.test\//);
  expect(urlIn(world)).not.toBe(before);
  expect(signed(world)).toBe(2);
});

it("is no URL of another kind than HTTP, whatever the cloud API answers", async () => {
  const world = createWorld();
  world.cluster.create("Bucket", "media", { cluster: "us-east-1" });
  await world.advance(minute);
  world.cloud.find("/object-storage/buckets", "us-east-1/media")!.beside["store"] = "javascript:alert(1)//";
  world.cluster.create(kind, "report", spec);
  await world.advance(5 * minute);
  expect(stateOf(world, kind, "report")).toBe("Unreadable");
  expect(urlIn(world)).toBeUndefined();
});

it("leaves a Secret of somebody else as it is, and signs nothing for it", async () => {
  const world = createWorld();
  world.cluster.secret(secretName, { password: "hunter2" });
  world.cluster.create("Bucket", "media", { cluster: "us-east-1" });
  world.cluster.create(kind, "report", spec);
  await world.advance(minute);
  expect(stateOf(world, kind, "report")).toBe("Conflict");
  expect(dataOf(world, secretName)).toEqual({ password: "hunter2" });
  expect(signed(world)).toBe(0);
});

it("moves to a Secret of another name, and the former one goes", async () => {
  const world = await withURL();
  world.cluster.patch(kind, "report", { spec: { secretName: "elsewhere" } });
  await world.advance(minute);
  expect(urlIn(world, "elsewhere")).toBeDefined();
  expect(urlIn(world)).toBeUndefined();
});

it("does not stand in the way of its bucket, nor of other URLs and the bucket's own object", async () => {
  const world = await withURL();
  world.cluster.create(kind, "second", { ...spec, objectKey: "other.pdf" });
  world.cluster.patch("Bucket", "media", { spec: { corsEnabled: true } });
  await world.advance(minute);
  for (const [of, name] of [
    [kind, "report"],
    [kind, "second"],
    ["Bucket", "media"],
  ] as const)
    expect(stateOf(world, of, name), name).toBe("Ready");
  world.cluster.delete("Bucket", "media");
  await world.advance(minute);
  expect(world.cluster.get("Bucket", "media")).toBeUndefined();
  expect(stateOf(world, kind, "report")).toBe("WaitingForReference");
  const sent = changes(world).length;
  world.cluster.delete(kind, "report");
  await world.advance(minute);
  expect(world.cluster.get(kind, "report")).toBeUndefined();
  expect(changes(world)).toHaveLength(sent);
});

it("is not made under Observe, and under Plan when that is approved", async () => {
  const world = await withURL({ policy: "Observe" });
  expect(signed(world)).toBe(0);
  expect(urlIn(world)).toBeUndefined();
  world.cluster.patch(kind, "report", { spec: { management: { policy: "Plan" } } });
  await world.advance(minute);
  const { plan } = world.cluster.get(kind, "report")!.status as { plan: { hash: string } };
  expect(signed(world)).toBe(0);
  world.cluster.annotate(kind, "report", { "cloudplatform.dev/approve": plan.hash });
  await world.advance(minute);
  expect(urlIn(world)).toBeDefined();
});

it("is never in status, events or log", async () => {
  const world = await withURL();
  await world.advance(100 * minute);
  const said = JSON.stringify([world.cluster.get(kind, "report"), world.cluster.events(), world.lines()]);
  expect(urlIn(world)).toContain(signature);
  expect(said).not.toContain(signature);
});
