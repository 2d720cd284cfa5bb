/** A journal entry that was forged, copied or replayed gives no right to anything: nothing foreign is touched. */
import { createSecretKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { newEntry, entryText } from "../../../src/core/model/journal.ts";
import type { KubeObject } from "../../../src/cluster/types.ts";
import type { JsonObject } from "../../../src/api/types.ts";
import { resources } from "../../../src/twin/definitions.ts";
import { installationKey } from "../../world/process.ts";
import { forgedRecord } from "../../world/record.ts";
import type { World } from "../../world/world.ts";
import { begin, create, idOf, instances, minutes, publicKey, shapes, sshKeys, stateOf, walls } from "../support.ts";

const annotation = "cloudplatform.dev/journal";
const rules = { inbound_policy: "DROP", outbound_policy: "ACCEPT", inbound: [], outbound: [] };

/** The editor's namespace may use the account, and not what exists there. */
const guest = { namespace: "guest" };
const accountRef = { name: "default", namespace: "default" };

/** What belongs to others: an instance that the namespace `default` manages, and what nobody manages. */
async function others(): Promise<{ world: World; ids: Record<string, string>; before: JsonObject[] }> {
  const world = await begin();
  world.cluster.patch("CloudAccount", "default", {
    spec: { sharing: { namespaces: ["guest"], accountWide: ["guest"] } },
  });
  create(world, "ComputeInstance", "web");
  await world.advance(minutes(2));
  const ids = {
    [instances]: idOf(world, "ComputeInstance", "web"),
    [walls]: world.cloud.add(walls, { label: "wall", rules }).id,
    [sshKeys]: world.cloud.add(sshKeys, { label: "key", ssh_key: publicKey }).id,
  };
  return { world, ids, before: structuredClone(rowsOf(world)) };
}

function rowsOf({ cloud }: World): JsonObject[] {
  return [instances, walls, sshKeys].flatMap((path) => cloud.rows(path));
}

/** What the editor writes objects of. */
const carriers: { kind: string; spec: object }[] = [
  { kind: "SSHKey", spec: { ...shapes.SSHKey.spec, label: "own" } },
  { kind: "Firewall", spec: { ...shapes.Firewall.spec, label: "own" } },
  { kind: "ComputeInstance", spec: { ...shapes.ComputeInstance.spec, label: "own" } },
  { kind: "DomainRecord", spec: { domainRef: { name: "zone" }, type: "A", target: "192.0.2.1" } },
];

const targets = [instances, walls, sshKeys];

function claims(carrier: KubeObject, collection: string, id: string, key: Uint8Array): string {
  const details = { collection, pattern: {}, known: [], epoch: "epoch-1", is: { id, adopted: true } };
  return entryText(
    newEntry(carrier, { uid: 1, euuid: "euuid-1" }, details, new Date("2026-01-01T00:00:00Z")),
    createSecretKey(key),
  );
}

type Forge = (carrier: KubeObject, collection: string, id: string, world: World) => string;

const forgeries: { because: string; forge: Forge }[] = [
  {
    because: "unsigned, with an id",
    forge: (carrier, collection, id) => {
      const { signature: _, ...entry } = JSON.parse(claims(carrier, collection, id, installationKey)) as JsonObject;
      return JSON.stringify({ ...entry, adopted: id });
    },
  },
  {
    because: "unsigned, with a pattern that everything matches",
    forge: (carrier, collection, id) => {
      const {
        is: _,
        signature: __,
        ...entry
      } = JSON.parse(claims(carrier, collection, id, installationKey)) as JsonObject;
      return JSON.stringify(entry);
    },
  },
  {
    because: "signed with another key",
    forge: (carrier, collection, id) => claims(carrier, collection, id, Buffer.alloc(32, 9)),
  },
  {
    because: "signed for another name",
    forge: ({ metadata, ...carrier }, collection, id) =>
      claims({ ...carrier, metadata: { ...metadata, name: "other" } }, collection, id, installationKey),
  },
  {
    because: "signed for another namespace",
    forge: ({ metadata, ...carrier }, collection, id) =>
      claims({ ...carrier, metadata: { ...metadata, namespace: "default" } }, collection, id, installationKey),
  },
  {
    because: "signed for another kind",
    forge: (carrier, collection, id) =>
      claims({ ...carrier, kind: carrier.kind === "Bucket" ? "SSHKey" : "Bucket" }, collection, id, installationKey),
  },
  {
    because: "copied from the object that manages the target",
    forge: (_carrier, _collection, _id, { cluster }) =>
      cluster.get("ComputeInstance", "web")?.metadata.annotations?.[annotation] ?? "",
  },
];

const table = forgeries.flatMap(({ because, forge }) => targets.map((collection) => ({ because, forge, collection })));

describe.each(carriers)("on a $kind of another namespace", ({ kind, spec }) => {
  async function carrierIn(world: World, annotations?: Record<string, string>): Promise<KubeObject> {
    if (kind === "DomainRecord" && !world.cluster.get("Domain", "zone", "guest"))
      world.cluster.create(
        "Domain",
        "zone",
        { domain: "example.org", type: "master", soaEmail: "ada@example.org", accountRef },
        guest,
      );
    await world.advance(1_000);
    const more = annotations && { annotations };
    return world.cluster.create(kind, "forged", { ...spec, accountRef }, { ...guest, ...more });
  }

  it.each(table)("an entry for $collection, $because, touches nothing foreign", async ({ forge, collection }) => {
    const { world, ids, before } = await others();
    const carrier = await carrierIn(world);
    await world.advance(minutes(2));
    const forged = forge(carrier, collection, ids[collection] ?? "", world);
    world.cluster.annotate(kind, "forged", { [annotation]: forged }, "guest");
    await world.advance(minutes(2));
    world.crash();
    world.cluster.annotate(kind, "forged", { [annotation]: forged }, "guest");
    world.restart();
    await world.advance(minutes(1));
    world.cluster.delete(kind, "forged", "guest");
    await world.advance(minutes(15));
    expect(rowsOf(world)).toEqual(expect.arrayContaining(before));
  });

  it.each(table)("one made with it touches nothing foreign: $collection, $because", async ({ forge, collection }) => {
    const { world, ids, before } = await others();
    const { apiVersion, metadata } = await carrierIn(world);
    world.crash();
    world.cluster.patch(kind, "forged", { metadata: { finalizers: null } }, "guest");
    world.cluster.delete(kind, "forged", "guest");
    const carrier = { apiVersion, kind, metadata };
    await carrierIn(world, { [annotation]: forge(carrier, collection, ids[collection] ?? "", world) });
    world.cluster.patch(kind, "forged", { metadata: { finalizers: ["cloudplatform.dev/operator"] } }, "guest");
    world.restart();
    await world.advance(minutes(3));
    world.cluster.delete(kind, "forged", "guest");
    await world.advance(minutes(15));
    expect(rowsOf(world)).toEqual(expect.arrayContaining(before));
  });
});

describe("an older entry of the same object, replayed", () => {
  it.each([
    { kind: "Firewall", path: walls, fields: { label: "own", rules } },
    { kind: "SSHKey", path: sshKeys, fields: { label: "own", ssh_key: publicKey } },
  ])("takes over nothing that was made since by others: $kind", async ({ kind, path, fields }) => {
    const { world } = await others();
    const { spec = {} } = carriers.find((one) => one.kind === kind) ?? {};
    world.cluster.create(kind, "own", { ...spec, accountRef }, guest);
    await world.advance(minutes(2));
    const old = world.cluster.get(kind, "own", "guest")?.metadata.annotations?.[annotation] ?? "";
    world.cluster.delete(kind, "own", "guest");
    await world.advance(minutes(30));
    const row = world.cloud.add(path, fields);
    const before = structuredClone(row.fields);
    world.cluster.create(kind, "own", { ...spec, accountRef }, { ...guest, annotations: { [annotation]: old } });
    await world.advance(minutes(5));
    expect(stateOf(world, kind, "own", "guest")).toMatch(/^(Conflict|CreateUncertain)$/);
    world.cluster.delete(kind, "own", "guest");
    await world.advance(minutes(15));
    expect(row.removed).toBeUndefined();
    expect(row.fields).toEqual(before);
  });
});

describe("an id that somebody wrote into the status", () => {
  const foreign = [
    { kind: "SSHKey", path: sshKeys },
    { kind: "Firewall", path: walls },
    { kind: "ComputeInstance", path: instances },
  ] as const;
  const fields = {
    SSHKey: { label: "theirs", ssh_key: publicKey },
    Firewall: { label: "theirs", rules },
    ComputeInstance: { ...shapes.ComputeInstance.spec, label: "theirs", status: "running" },
  };

  async function stage(kind: keyof typeof fields) {
    const { world } = await others();
    const row = world.cloud.add(foreign.find((one) => one.kind === kind)!.path, fields[kind]);
    const before = structuredClone(row.fields);
    const forge = (status: object) => {
      const resource = resources.get(kind)!;
      world.cluster.objects.patch(resource, { ...guest, name: "own" }, { status }, "status");
    };
    const make = () =>
      world.cluster.create(kind, "own", { ...carriers.find((one) => one.kind === kind)?.spec, accountRef }, guest);
    const judge = async () => {
      await world.advance(minutes(5));
      world.cluster.delete(kind, "own", "guest");
      await world.advance(minutes(15));
      expect(row.removed).toBeUndefined();
      expect(row.fields).toEqual(before);
    };
    return { world, row, forge, make, judge };
  }

  it.each(foreign)("gives no right before the operator has seen the object: $kind", async ({ kind }) => {
    const { world, row, forge, make, judge } = await stage(kind);
    world.crash();
    make();
    forge({ id: row.id, record: forgedRecord(undefined, { id: row.id }) });
    world.restart();
    await judge();
  });

  it.each(foreign)(
    "gives none where the entry was taken away, and the record names the id: $kind",
    async ({ kind }) => {
      const { world, row, forge, make, judge } = await stage(kind);
      make();
      await world.advance(minutes(5));
      world.crash();
      world.cluster.annotate(kind, "own", { [annotation]: null }, "guest");
      const record = forgedRecord(world.cluster.get(kind, "own", "guest"), { id: row.id, origin: null });
      forge({ id: row.id, record });
      world.restart();
      await judge();
    },
  );
});
