/** The certificate of a bucket: that of its Secret is served, and the cloud API never shows which one it is. */
import { X509Certificate } from "node:crypto";
import { expect, it } from "vitest";
import { secrets } from "../../../src/cluster/secrets.ts";
import { firstPair, secondPair } from "../../../src/kinds/objectstorage/certificate-examples.ts";
import { forgedRecord, recordOf } from "../../world/record.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, messageOf, stateOf } from "../support.ts";

const kind = "BucketCertificate";
const path = "/object-storage/buckets/us-east-1/media/ssl";
const spec = { bucketRef: { name: "media" }, secretRef: { name: "media-tls" } };
const soonMs = 60_000;

type Pair = Record<string, string>;

/** A bucket, and an object for its certificate; `pair`: what the Secret holds. */
async function withObject(pair: Pair | undefined, management?: object): Promise<World> {
  const world = createWorld();
  world.cluster.create("Bucket", "media", { cluster: "us-east-1" });
  await world.advance(soonMs);
  if (pair) world.cluster.secret("media-tls", pair);
  world.cluster.create(kind, "tls", spec, management && { management });
  await world.advance(soonMs);
  return world;
}

function change(world: World, pair: Pair): void {
  const ref = { namespace: "default", name: "media-tls" };
  world.cluster.objects.patch(secrets, ref, { stringData: pair });
}

function served({ cloud }: World): unknown {
  return cloud.find("/object-storage/buckets", "us-east-1/media")?.beside["certificate"];
}

function upload(world: World, pair: Pair | undefined): void {
  const { beside } = world.cloud.find("/object-storage/buckets", "us-east-1/media")!;
  if (pair) beside["certificate"] = sent(pair);
  else delete beside["certificate"];
}

function sent(pair: Pair): { certificate: string; private_key: string } {
  return { certificate: pair["tls.crt"] ?? "", private_key: pair["tls.key"] ?? "" };
}

it("is uploaded once, and renewed within five seconds of a change of its Secret", async () => {
  const world = await withObject(firstPair);
  expect(world.cluster.get(kind, "tls")).toBeReady();
  expect(served(world)).toEqual(sent(firstPair));
  world.restart();
  await world.advance(1_200_000);
  const since = world.cloud.ledger().length;
  change(world, secondPair);
  await world.advance(5_000);
  expect(served(world)).toEqual(sent(secondPair));
  await world.advance(soonMs);
  expect(changes(world, since)).toEqual([`DELETE ${path}`, `POST ${path}`]);
  expect(world.cluster.get(kind, "tls")).toBeReady();
  const [before, after] = [firstPair, secondPair].map((pair) => new X509Certificate(pair["tls.crt"] ?? "").validToDate);
  const notes = world.cluster.events().filter(({ note }) => note.includes("→"));
  expect(notes.map(({ note }) => note)).toEqual([
    `Certificate that expires ${before?.toISOString()} → nothing, then the certificate of Secret media-tls that expires ${after?.toISOString()}`,
    `Nothing → certificate of Secret media-tls that expires ${after?.toISOString()}`,
  ]);
});

it.each<{ why: string; pair: Pair; says: string }>([
  {
    why: "bytes that are no PEM",
    pair: { ...firstPair, "tls.crt": "web" },
    says: "key tls.crt of Secret media-tls is no",
  },
  {
    why: "a key that is no PEM",
    pair: { ...firstPair, "tls.key": "web" },
    says: "key tls.key of Secret media-tls is no",
  },
  {
    why: "the key of another",
    pair: { ...firstPair, "tls.key": secondPair["tls.key"] ?? "" },
    says: "is not the key of",
  },
  { why: "no key", pair: { "tls.crt": firstPair["tls.crt"] ?? "" }, says: "Secret media-tls has no key tls.key" },
  {
    why: "no certificate",
    pair: { "tls.key": firstPair["tls.key"] ?? "" },
    says: "Secret media-tls has no key tls.crt",
  },
])("is not uploaded from $why, which the condition names, and is once that is corrected", async ({ pair, says }) => {
  const world = await withObject(pair);
  expect(messageOf(world, kind, "tls")).toContain(says);
  expect(changes(world).filter((call) => call.endsWith("/ssl"))).toEqual([]);
  change(world, firstPair);
  await world.advance(5_000);
  expect(world.cluster.get(kind, "tls")).toBeReady();
  expect(served(world)).toEqual(sent(firstPair));
});

it("stays as it is while a change of its Secret cannot be used, or the Secret is gone", async () => {
  const world = await withObject(firstPair);
  change(world, { "tls.crt": secondPair["tls.crt"] ?? "" });
  await world.advance(soonMs);
  expect(stateOf(world, kind, "tls")).toBe("InvalidSpec");
  world.cluster.delete("Secret", "media-tls");
  await world.advance(soonMs);
  expect(stateOf(world, kind, "tls")).toBe("WaitingForSecret");
  expect(served(world)).toEqual(sent(firstPair));
  expect(changes(world).filter((call) => call.endsWith("/ssl"))).toEqual([`POST ${path}`]);
});

it("is uploaded again where somebody has removed it", async () => {
  const world = await withObject(firstPair);
  upload(world, undefined);
  await world.advance(180_000);
  expect(served(world)).toEqual(sent(firstPair));
  expect(world.cluster.get(kind, "tls")).toBeReady();
});

it("of somebody else is a conflict, and is replaced where it is adopted", async () => {
  const world = createWorld();
  world.cluster.create("Bucket", "media", { cluster: "us-east-1" });
  await world.advance(soonMs);
  upload(world, secondPair);
  world.cluster.secret("media-tls", firstPair);
  world.cluster.create(kind, "tls", spec);
  await world.advance(soonMs);
  expect(stateOf(world, kind, "tls")).toBe("Conflict");
  expect(served(world)).toEqual(sent(secondPair));
  world.cluster.patch(kind, "tls", { spec: { management: { adopt: { id: "ssl", overwrite: true } } } });
  await world.advance(soonMs);
  expect(world.cluster.get(kind, "tls")).toBeReady();
  expect(served(world)).toEqual(sent(firstPair));
});

it.each(Array.from({ length: 12 }, (_, steps) => steps))(
  "is that of its Secret in the end where the operator ends %d steps into a renewal",
  async (steps) => {
    const world = await withObject(firstPair);
    world.crashAfter(steps);
    change(world, secondPair);
    await world.advance(5_000);
    world.restart();
    await world.advance(180_000);
    expect(served(world)).toEqual(sent(secondPair));
    expect(stateOf(world, kind, "tls"), messageOf(world, kind, "tls")).toBe("Ready");
  },
);

it("is renewed once more where its record was edited, and is never in status, events or log", async () => {
  const world = await withObject(firstPair);
  const tls = world.cluster.get(kind, "tls")!;
  expect(recordOf(tls)).toMatchObject({ applied: { certificate: expect.stringMatching(/^[0-9a-f]{64}$/) as string } });
  world.cluster.objects.patch(
    { group: "cloudplatform.dev", version: "v1alpha1", plural: "bucketcertificates", kind, namespaced: true },
    { namespace: "default", name: "tls" },
    { status: { record: forgedRecord(tls, { applied: { certificate: "0".repeat(64) } }) } },
    "status",
  );
  world.restart();
  await world.advance(soonMs);
  expect(served(world)).toEqual(sent(firstPair));
  const said = JSON.stringify([world.cluster.get(kind, "tls"), world.cluster.events(), world.lines()]);
  for (const text of Object.values(firstPair)) expect(said).not.toContain(text.split("\n")[1]);
});

it("goes with its object, and its object goes when the bucket was deleted by somebody else", async () => {
  const world = await withObject(firstPair);
  world.cluster.delete(kind, "tls");
  await world.advance(soonMs);
  expect(world.cluster.get(kind, "tls")).toBeUndefined();
  expect(served(world)).toBeUndefined();
  world.cluster.create(kind, "tls", spec);
  await world.advance(soonMs);
  expect(world.cluster.get(kind, "tls")).toBeReady();
  world.cloud.remove("/object-storage/buckets", "us-east-1/media");
  world.cluster.delete(kind, "tls");
  await world.advance(180_000);
  expect(world.cluster.get(kind, "tls")).toBeUndefined();
});
