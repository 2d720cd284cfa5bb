import { statusOf } from "../../../src/core/kind/object.ts";
import { creationRequest } from "../../../src/core/kind/fields.ts";
import { expect, vi } from "vitest";
import { configMaps } from "../../../src/cluster/config-maps.ts";
import type { JsonObject } from "../../../src/api/types.ts";
import type { KubeObject } from "../../../src/cluster/types.ts";
import type { Request } from "../../../src/core/kind/call.ts";
import { keyOf, resourceOf } from "../../../src/core/kind/resource.ts";
import type { AnyDesired } from "../../../src/core/model/context.ts";
import { collectionOf } from "../../../src/core/model/context.ts";
import type { Collection } from "../../../src/observe/types.ts";
import type { LedgerEntry, LedgerQuery } from "../../../src/simulator/server/ledger/ledger.ts";
import { secrets } from "./contract-test.ts";
import type { ContractWorld } from "./contract-test.ts";
import { neededSubject } from "./subjects.ts";
import type { Subject } from "./subjects.ts";
import { wantedOf } from "./wanted.ts";

type Spec = Record<string, unknown>;

/** One object of a kind in a world, and what is known of it in the cloud. */
export interface Stage extends Subject {
  world: ContractWorld;
  name: string;
  /** Creates what the example needs, and waits until all of it is ready. */
  prepare: () => Promise<void>;
  /** Creates the object itself. */
  create: (how?: { spec?: Spec; management?: object; annotations?: Record<string, string> }) => Promise<void>;
  object: () => Promise<KubeObject>;
  ready: () => Promise<KubeObject>;
  until: (what: (object: KubeObject) => boolean) => Promise<KubeObject>;
  /** Waits for a condition that is true with this reason. */
  condition: (type: string, reason: string) => Promise<KubeObject>;
  /** Replaces the spec by this one, and answers the object as it is then. */
  change: (spec: Spec) => Promise<KubeObject>;
  patch: (patch: object) => Promise<KubeObject>;
  remove: () => Promise<void>;
  gone: () => Promise<void>;
  /** Resolves when the operator has looked at the object once more and has nothing to do. */
  look: () => Promise<void>;
  wanted: (spec?: Spec) => Promise<AnyDesired>;
  collection: () => Promise<Collection>;
  /** The row of this id as the cloud shows it; undefined when it is gone. */
  row: (id: string) => Promise<JsonObject | undefined>;
  rows: () => Promise<JsonObject[]>;
  /** The call that makes what the example, or this spec, wants. */
  creation: (spec?: Spec) => Promise<Request>;
  /** Mutating requests of the operator so far. */
  mutations: (query?: LedgerQuery) => LedgerEntry[];
  /** Requests of the operator to create the object. */
  creations: (query?: LedgerQuery) => Promise<LedgerEntry[]>;
  /** Id in the cloud as the status has it. */
  id: () => Promise<string>;
}

/** Puts an example on the stage of a world. */
export function stageOf(world: ContractWorld, subject: Subject, name = subject.example.name): Stage {
  const { kind, example } = subject;
  const of = kind.kind;
  const object = async (): Promise<KubeObject> => (await world.get(of, name)) ?? fail(`${of} ${name} does not exist`);
  const wanted = (spec: Spec = example.spec): Promise<AnyDesired> => wantedOf(world, subject, { name, spec });
  const collection = async (): Promise<Collection> => collectionOf(kind, kind.listPath(await wanted()));
  const mutations = (query: LedgerQuery = {}): LedgerEntry[] =>
    // What a fault dropped unseen has no token in the ledger, and is the operator's: nobody else meets faults.
    world.simulator.control
      .ledger({ mutating: true, ...query })
      .filter(({ token }) => token === null || token === "demo");
  const creation = async (spec?: Spec): Promise<Request> => creationRequest(kind, await wanted(spec));
  return {
    ...subject,
    world,
    name,
    prepare: () => prepare(world, subject),
    async create({ spec = example.spec, management, annotations } = {}) {
      const metadata = { name, namespace: world.namespace, ...(annotations && { annotations }) };
      const manifest = { metadata, spec: { ...spec, ...(management && { management }) } };
      await world.kube.create(resourceOf(kind), { apiVersion: "cloudplatform.dev/v1alpha1", kind: of, ...manifest });
    },
    object,
    ready: () => world.ready(of, name),
    until: (what) => world.until(of, name, what),
    condition: (type, reason) => world.condition(of, name, type, reason),
    change: (spec) => replaceSpec(world, subject, name, spec),
    patch: (patch) => world.patch(of, name, patch),
    remove: () => world.remove(of, name),
    gone: () => world.gone(of, name),
    look: () => lookAgain(world, of, name),
    wanted,
    collection,
    row: async (id) => rowIn(world, await collection(), id),
    rows: async () => rowsIn(world, await collection()),
    creation,
    mutations,
    creations: async (query) => mutations({ method: "POST", path: `/v4*${(await creation()).path}`, ...query }),
    id: async () => statusOf(await object()).id ?? fail(`${of} ${name} has no id`),
  };
}

async function rowsIn(world: ContractWorld, { path, absentIn }: Collection): Promise<JsonObject[]> {
  if (!absentIn) return world.stranger.list(path);
  const shown = await world.stranger.get(path);
  return shown === undefined || absentIn(shown) ? [] : [shown as JsonObject];
}

async function rowIn(world: ContractWorld, { path, itemPath, wholeInList, idOf, absentIn }: Collection, id: string) {
  const shown = (await world.stranger.get(itemPath(id))) as JsonObject | undefined;
  if (absentIn?.(shown)) return undefined;
  if (!shown || wholeInList === undefined) return shown;
  return (await world.stranger.list(path)).find((row) => idOf(row) === id);
}

/** Secrets and ConfigMaps, then the objects that the example refers to, each with its own needs before it. */
async function prepare(world: ContractWorld, { example }: Subject): Promise<void> {
  await createSecrets(world, example.secrets);
  await createConfigMaps(world, example);
  for (const need of example.needs ?? []) {
    const stage = stageOf(world, neededSubject(need), need.name);
    if (await world.get(need.kind, stage.name)) continue;
    await stage.prepare();
    await stage.create();
  }
  for (const need of example.needs ?? []) await world.ready(need.kind, need.name ?? need.example);
}

export async function createSecrets(
  world: ContractWorld,
  wanted: Record<string, Record<string, string>> = {},
): Promise<void> {
  for (const [name, stringData] of Object.entries(wanted)) {
    const metadata = { name, namespace: world.namespace };
    await world.kube.create(secrets, { apiVersion: "v1", kind: "Secret", metadata, stringData });
  }
}

async function createConfigMaps(world: ContractWorld, { configMaps: wanted = {} }: Subject["example"]): Promise<void> {
  for (const [name, data] of Object.entries(wanted))
    await world.kube.create(configMaps, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name, namespace: world.namespace },
      data,
    });
}

async function replaceSpec(world: ContractWorld, { kind }: Subject, name: string, spec: Spec): Promise<KubeObject> {
  const before = (await world.get(kind.kind, name))?.spec ?? {};
  // A merge patch would keep what the new spec leaves out: first away with it, in the same request.
  return world.patch(kind.kind, name, { spec: replacing(before, spec) });
}

/** The merge patch that makes `after` of `before`. */
function replacing(before: Spec, after: Spec): Spec {
  const removed = Object.keys(before).filter((key) => !(key in after) && key !== "management" && key !== "accountRef");
  const nested = Object.entries(after).map(([key, value]): [string, unknown] => {
    const from = before[key];
    return [key, isRecord(from) && isRecord(value) ? replacing(from, value) : value];
  });
  return { ...Object.fromEntries(removed.map((key) => [key, null])), ...Object.fromEntries(nested) };
}

function isRecord(value: unknown): value is Spec {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function lookAgain(world: ContractWorld, kind: string, name: string): Promise<void> {
  const key = keyOf(kind, world.namespace, name);
  const before = world.looks(key);
  await world.patch(kind, name, { metadata: { annotations: { "test/look": String(before) } } });
  await vi.waitFor(() => expect(world.looks(key)).toBeGreaterThan(before), { timeout: 10_000, interval: 20 });
  await idle(world);
}

/** Tries until it does not throw; then its answer. */
export function eventually<T>(check: () => T | Promise<T>, timeout = 20_000): Promise<T> {
  return vi.waitFor(check, { timeout, interval: 40 });
}

/** Creates what the example needs and the object itself, and waits until all is ready. */
export async function standing(stage: Stage, management?: object): Promise<Stage> {
  await stage.prepare();
  await stage.create(management ? { management } : {});
  await stage.ready();
  return stage;
}

/** Resolves when no object is being looked at or is due. */
export async function idle(world: ContractWorld): Promise<void> {
  const busy = (): number => world.operator().queue.depth().ready + world.operator().queue.depth().active;
  await vi.waitFor(() => expect(busy()).toBe(0), { timeout: 10_000, interval: 10 });
}

function fail(message: string): never {
  throw new Error(message);
}
