/**
 * Creates, changes, deletes and adopts objects of each kind while one watch is silent, for each watch. The judge compares requests to
 * the API server and to the cloud: the operator must have read each fact within half a second before a mutating request.
 */
import { describe, expect, it } from "vitest";
import { secrets } from "../../../src/cluster/secrets.ts";
import type { ListOptions, ObjectRef, Resource } from "../../../src/cluster/types.ts";
import { heldKinds } from "../../../src/core/kind/selectable.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { palette } from "../../explorer/palette.ts";
import type { Swatch } from "../../explorer/palette.ts";
import type { LedgerEntry } from "../../world/dispatcher.ts";
import { createWorld } from "../../world/world.ts";
import type { World, WorldOptions } from "../../world/world.ts";
import { calm, madeMs, messageOf, minutes, stateOf } from "../support.ts";

const namespace = "team-b";
const accountRef = { name: "default", namespace: "default" };
const name = "one";

/** The longest age of a fact, milliseconds. */
const oldestMs = 500;

interface Asked {
  kind: string;
  /** Empty for a list. */
  name: string;
  atMs: number;
}

/** The first swatch of each kind. */
const swatches: Swatch[] = [...Map.groupBy(palette, ({ kind }) => kind).values()].flatMap(([first]) => first ?? []);

/** The time for a creation, milliseconds. */
function creationMs({ kind, below }: Swatch): number {
  return [kind, below?.kind].includes("ManagedMySQL") ? madeMs : minutes(4);
}

function referringTo(kind: string): string[] {
  return kinds.filter((one) => heldKinds(one).has(kind)).map((one) => one.kind);
}

/** Creates a world with an account for team-b and the dependencies of a kind. */
async function furnished(swatch: Swatch, options: WorldOptions = calm): Promise<{ world: World; asked: Asked[] }> {
  const world = createWorld(options);
  const { cluster } = world;
  cluster.patch("CloudAccount", "default", {
    spec: { sharing: { namespaces: [namespace], existing: [namespace], accountWide: [namespace] } },
  });
  cluster.secret("user-data", { "user-data": "#cloud-config" }, namespace);
  cluster.secret("root-password", { password: "s3cret-of-root" }, namespace);
  for (const needed of [swatch.below, swatch.beside])
    if (needed) cluster.create(needed.kind, needed.name, { ...needed.spec(namespace), accountRef }, { namespace });
  await world.advance(swatch.below ? creationMs(swatch) : minutes(1));
  cluster.latency.ms = 20;
  world.cloud.settings.latencyMs = 100;
  return { world, asked: listened(world) };
}

/** Notes the reads of the API server. */
function listened({ cluster: { objects }, clock }: World): Asked[] {
  const asked: Asked[] = [];
  const { get, list } = objects;
  objects.get = (resource: Resource, ref: ObjectRef) => {
    asked.push({ kind: resource.kind, name: ref.name, atMs: clock.now() });
    return get(resource, ref);
  };
  objects.list = (resource: Resource, options?: ListOptions) => {
    asked.push({ kind: resource.kind, name: "", atMs: clock.now() });
    return list(resource, options);
  };
  return asked;
}

function changesSince({ cloud }: World, since: number): LedgerEntry[] {
  return cloud.ledger().filter(({ method, number }) => method !== "GET" && number >= since);
}

interface Operation {
  before: (world: World, swatch: Swatch) => Promise<void>;
  act: (world: World, swatch: Swatch) => void;
}

function make({ cluster }: World, { kind, spec }: Swatch, management?: object): void {
  cluster.create(kind, name, { ...spec(name), accountRef }, { namespace, ...(management && { management }) });
}

const made = async (world: World, swatch: Swatch): Promise<void> => {
  make(world, swatch);
  await world.advance(creationMs(swatch));
  expect(stateOf(world, swatch.kind, name, namespace), messageOf(world, swatch.kind, name, namespace)).toBeDefined();
};

/** Returns the collection of the rows with the id of the parent. */
function pathOf({ cluster }: World, { path, below }: Swatch): string {
  const status = below && cluster.get(below.kind, below.name, namespace)?.status;
  const { id = "" } = (status ?? {}) as { id?: string };
  return path.replace("{}", id);
}

const operations: Record<string, Operation> = {
  create: { before: () => Promise.resolve(), act: make },
  change: {
    before: made,
    act: ({ cluster }, { kind, edits: [edit = {}] }) => void cluster.patch(kind, name, { spec: edit }, namespace),
  },
  delete: { before: made, act: ({ cluster }, { kind }) => cluster.delete(kind, name, namespace) },
  adopt: {
    before: () => Promise.resolve(),
    act(world, swatch) {
      const { id } = world.cloud.add(pathOf(world, swatch), swatch.foreign(name));
      make(world, swatch, { adopt: { id } });
    },
  },
};

const cases = swatches.flatMap((swatch) =>
  Object.entries(operations)
    .filter(([operation]) => operation !== "adopt" || !swatch.once)
    .map(([operation, steps]) => ({ kind: swatch.kind, operation, swatch, steps })),
);

/** Names facts without a read within `oldestMs` before a request. */
function unasked(asked: Asked[], { kind }: Swatch, { atMs, method, path }: LedgerEntry, isDeleted: boolean): string[] {
  const isFresh = (of: string, what: string) =>
    asked.some((one) => one.kind === of && one.name === what && one.atMs <= atMs && atMs - one.atMs <= oldestMs);
  const facts: [string, string][] = [
    ["CloudAccount", "default"],
    ["Secret", "cloud-token"],
    [kind, name],
    ...(isDeleted ? referringTo(kind).map((one): [string, string] => [one, ""]) : []),
  ];
  return facts.filter((fact) => !isFresh(...fact)).map(([of]) => `${method} ${path} without ${of}`);
}

describe.each(cases)("$operation of $kind", ({ kind, operation, swatch, steps }) => {
  it.each([kind, ...referringTo(kind), "CloudAccount", "Secret"])(
    "sends nothing by an old fact while the watch of %s is silent",
    async (stalled) => {
      const { world, asked } = await furnished(swatch);
      await steps.before(world, swatch);
      world.cluster.watch.stalled.add(stalled);
      await world.advance(10_000);
      const since = world.cloud.ledger().length;
      steps.act(world, swatch);
      await world.advance(minutes(3));
      const sent = changesSince(world, since);
      const mustSend = ["CloudAccount", "Secret"].includes(stalled) && ["create", "delete"].includes(operation);
      if (mustSend && !swatch.once) expect(sent).not.toEqual([]);
      expect(sent.flatMap((entry) => unasked(asked, swatch, entry, operation === "delete"))).toEqual([]);
    },
  );

  it("sends nothing after the sharing was withdrawn, while the watch of accounts is silent", async () => {
    const { world } = await furnished(swatch);
    await steps.before(world, swatch);
    world.cluster.watch.stalled.add("CloudAccount");
    world.cluster.patch("CloudAccount", "default", { spec: { sharing: null } });
    await world.advance(10_000);
    const since = world.cloud.ledger().length;
    steps.act(world, swatch);
    await world.advance(minutes(3));
    expect(changesSince(world, since).map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it("sends nothing with the former token, while the watch of Secrets is silent", async () => {
    const { world } = await furnished(swatch);
    await steps.before(world, swatch);
    world.cloud.addToken("rotated", "ada");
    world.cluster.watch.stalled.add("Secret");
    const data = { token: Buffer.from("rotated").toString("base64") };
    world.cluster.objects.patch(secrets, { namespace: "default", name: "cloud-token" }, { data });
    await world.advance(10_000);
    const since = world.cloud.ledger().length;
    steps.act(world, swatch);
    await world.advance(minutes(3));
    expect(changesSince(world, since).filter(({ token }) => token !== "rotated")).toEqual([]);
  });
});

it.each(swatches.filter(({ once, tampered }) => !once && Object.keys(tampered).length > 0))(
  "$kind: drift is not corrected after the object was paused, while its own watch is silent",
  async (swatch) => {
    // The operator polls each minute.
    const { world } = await furnished(swatch, {});
    await made(world, swatch);
    world.cluster.watch.stalled.add(swatch.kind);
    world.cluster.patch(swatch.kind, name, { spec: { management: { policy: "Paused" } } }, namespace);
    await world.advance(10_000);
    const since = world.cloud.ledger().length;
    const path = pathOf(world, swatch);
    const { id = "" } = (world.cluster.get(swatch.kind, name, namespace)?.status ?? {}) as { id?: string };
    world.cloud.change(path, id, swatch.tampered);
    await world.advance(minutes(2));
    expect(changesSince(world, since).map(({ method, path: of }) => `${method} ${of}`)).toEqual([]);
    const refused = world.cluster.writes().filter(({ error }) => error !== undefined);
    expect(refused.length, "writes of an old version").toBeLessThan(5);
  },
);

it("500 creations in bulk read the account and its Secret at most once per tenth of a second", async () => {
  const world = createWorld();
  await world.advance(minutes(1));
  const asked = listened(world);
  const begun = world.clock.now();
  for (let index = 0; index < 500; index += 1) {
    const sshKey = `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${Buffer.from(`${index}`.padStart(32, "k")).toString("base64").slice(0, 43)} ada@laptop`;
    world.cluster.create("SSHKey", `key-${index}`, { sshKey });
  }
  await world.advance(minutes(2));
  const tenths = (world.clock.now() - begun) / 100;
  const countOf = (kind: string) => asked.filter((one) => one.kind === kind).length;
  expect(countOf("SSHKey")).toBeLessThanOrEqual(500);
  expect(countOf("CloudAccount")).toBeLessThanOrEqual(tenths);
  expect(countOf("Secret")).toBeLessThanOrEqual(tenths);
});
