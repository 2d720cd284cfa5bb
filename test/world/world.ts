/**
 * A whole world in memory: the real queue, core, observer and client of the operator on models of the API server and the
 * cloud, by a clock that is moved. Nothing in it needs a socket, a process or real time.
 */
import { judgeMessage } from "./message-rules.ts";
import type { KubeObject, ObjectRef, Resource } from "../../src/cluster/types.ts";
import { configMaps } from "../../src/cluster/config-maps.ts";
import { secrets } from "../../src/cluster/secrets.ts";
import type { Operators } from "../../src/core/model/environment.ts";
import type { CommonStatus, Condition } from "../../src/core/kind/status-schema.ts";
import { seededRandom } from "../support/chance.ts";
import { createWorldClock } from "./clock.ts";
import type { WorldClock } from "./clock.ts";
import { createCloud } from "./cloud.ts";
import type { Cloud } from "./cloud.ts";
import { checkStatus } from "../../src/twin/check-status.ts";
import { catalogResources, installedOf, resources } from "../../src/twin/definitions.ts";
import type { EventNoted, KubeWrite, WatchSettings, WriteFault } from "./cluster.ts";
import { createGate } from "./gate.ts";
import { createObjects } from "../../src/twin/objects.ts";
import type { Objects } from "../../src/twin/objects.ts";
import { defaultTiming, installationKey, startProcess } from "./process.ts";
import type { Installation, Logged, OperatorProcess, ProcessOptions } from "./process.ts";

export interface WorldOptions {
  /** False: no Secret and no CloudAccount `default`. */
  account?: boolean;
  /** False: no operator runs yet. */
  start?: boolean;
  workers?: number;
  /** What the service writes for `compute`, which all else here says: rows and ledger too. */
  brandWord?: string;
  timing?: Partial<typeof defaultTiming>;
  /** Returns a number from 0 to 1 for jitter. By default, each world has the same jitter. */
  random?: () => number;
  /** False: a status is stored whatever its definition says. */
  checkStatus?: boolean;
  /** How far the wall clock of the operator's node is ahead of that of the API server and the cloud. */
  nodeAheadMs?: number;
  /** Under which lease it runs, and what is known of others; undefined: just this one. */
  operators?: Operators;
  /** Kinds that are installed, `CloudAccount` among them; all if not given. */
  installed?: ReadonlySet<string>;
  /** True: catalogs of the cloud are kept as objects. */
  catalogs?: boolean;
  /** Secrets are neither listed nor watched, and read so often, milliseconds. */
  secretsEveryMs?: number;
  /** True: AccountActions may run. */
  allowAccountActions?: boolean;
  /** True: the processes that start from now on send no request that changes the cloud. */
  readOnly?: boolean;
  /** True: objects with data are protected unless their manifest says otherwise. */
  protectByDefault?: boolean;
  /** The key of the processes that start from now on. */
  installation?: Installation;
}

export interface CreateOptions {
  namespace?: string;
  management?: object;
  annotations?: Record<string, string>;
  labels?: Record<string, string>;
}

/** What people do with kubectl. */
export interface People {
  create: (kind: string, name: string, spec?: object, options?: CreateOptions) => KubeObject;
  secret: (name: string, data: Record<string, string>, namespace?: string) => KubeObject;
  get: (kind: string, name: string, namespace?: string) => KubeObject | undefined;
  list: (kind?: string) => KubeObject[];
  patch: (kind: string, name: string, patch: Record<string, unknown>, namespace?: string) => KubeObject;
  annotate: (kind: string, name: string, annotations: Record<string, string | null>, namespace?: string) => KubeObject;
  delete: (kind: string, name: string, namespace?: string) => void;
  /** The API server has begun with it; the returned function ends it. */
  beginDelete: (kind: string, name: string, namespace?: string) => () => void;
  objects: Objects;
  /** How watches bring events, to all processes. */
  watch: WatchSettings;
  /** `answerMs`: of an answer to a write, after it was applied. */
  latency: { ms: number; answerMs: number };
  releaseWatches: (how?: "each" | "list", kind?: string) => void;
  /** What goes wrong with writes of operators; may be changed at any time. */
  writeFaults: WriteFault[];
  writes: () => readonly KubeWrite[];
  events: () => readonly EventNoted[];
}

export interface World {
  clock: WorldClock;
  cluster: People;
  cloud: Cloud;
  advance: (ms: number) => Promise<void>;
  settle: () => Promise<void>;
  /** The processes that run. */
  processes: () => OperatorProcess[];
  /** Every process is gone, at whatever it waits for. */
  crash: () => void;
  /** The process will be gone at the nth step of its calls from now. */
  crashAfter: (steps: number) => void;
  /** Starts another process after the end of the one before. It manages all kinds but these, in these namespaces or in all. */
  restart: (disabledKinds?: readonly string[], namespaces?: readonly string[]) => OperatorProcess;
  /** The lease of those that run ended now; what they are at goes on for `ms`, while another leads. */
  handOver: (ms: number) => OperatorProcess;
  /** Another one beside those that run. */
  secondOperator: () => OperatorProcess;
  /** By process: when the lease of those that handed over ended. */
  leaseEnds: () => ReadonlyMap<number, number>;
  /** What was said at `warn` and `error`. */
  logged: () => readonly Logged[];
  /** …and at `info` too. */
  lines: () => readonly Logged[];
}

export const token = "token-of-default";

export function createWorld(options: WorldOptions = {}): World {
  const clock = createWorldClock();
  const random = options.random ?? seededRandom(1);
  const { cloud, options: cloudOptions } = createCloud(clock, options.brandWord);
  const objects = createObjects({ clock, ...(options.checkStatus !== false && { checkStatus }) });
  const watch: WatchSettings = { delayMs: 0, repeated: false, held: false, stalled: new Set() };
  const latency = { ms: 0, answerMs: 0 };
  const writeFaults: WriteFault[] = [];
  const writes: KubeWrite[] = [];
  const events: EventNoted[] = [];
  const logged: Logged[] = [];
  let processes: OperatorProcess[] = [];
  let started = 0;
  const ends = new Map<number, number>();
  const nodeClock = { ...clock, date: () => new Date(clock.date().getTime() + (options.nodeAheadMs ?? 0)) };
  const begin = (disabledKinds: readonly string[] = [], namespaces?: readonly string[]): OperatorProcess => {
    started += 1;
    const number = started;
    const process: ProcessOptions = {
      gate: createGate(started, nodeClock, () => logged.push({ level: "error", message: "endless loop", fields: {} })),
      objects,
      epoch: `epoch-${started}`,
      watch,
      latencyMs: () => latency.ms,
      answerMs: () => latency.answerMs,
      writeFaults,
      onWrite: (write) => {
        judgeStatus(write);
        writes.push(write);
      },
      onEvent: (event) => {
        judgeMessage(event.note);
        events.push(event);
      },
      onLog: (line) => logged.push(line),
      cloud: cloudOptions,
      workers: options.workers ?? 16,
      deadline: () => ends.get(number) ?? Infinity,
      timing: { ...defaultTiming, ...options.timing },
      random,
      operators: options.operators,
      installed: options.installed,
      disabledKinds,
      namespaces,
      catalogs: options.catalogs ?? false,
      secretsEveryMs: options.secretsEveryMs,
      allowAccountActions: options.allowAccountActions ?? false,
      readOnly: options.readOnly ?? false,
      protectByDefault: options.protectByDefault ?? false,
      installation: options.installation ?? { key: installationKey, since: "2025-12-31T00:00:00Z" },
    };
    const running = startProcess(process);
    processes.push(running);
    return running;
  };
  const world: World = {
    clock,
    cloud,
    cluster: peopleOf(objects, {
      watch,
      latency,
      writeFaults,
      writes: () => writes,
      events: () => events,
      releaseWatches: (how, kind) => processes.forEach(({ cluster }) => cluster.releaseWatches(how, kind)),
    }),
    advance: (ms) => clock.advance(ms),
    settle: () => clock.settle(),
    processes: () => processes.filter(({ gate }) => gate.alive()),
    crash() {
      for (const { gate } of processes) gate.kill();
      processes = [];
    },
    crashAfter: (steps) => processes.forEach(({ gate }) => gate.killAfter(steps)),
    restart(disabledKinds, namespaces) {
      world.crash();
      return begin(disabledKinds, namespaces);
    },
    handOver(ms) {
      for (const { gate, queue } of processes) {
        ends.set(gate.process, clock.now());
        void queue.stop();
        clock.schedule(ms, () => gate.kill());
      }
      return begin();
    },
    leaseEnds: () => ends,
    secondOperator: () => begin(),
    logged: () => logged.filter(({ level }) => level !== "info"),
    lines: () => logged,
  };
  furnish(world, options);
  if (options.start !== false) begin();
  return world;
}

const definitions = { group: "apiextensions.k8s.io", version: "v1", plural: "customresourcedefinitions" };
export const namespaces = { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false };

function furnish({ cluster, cloud }: World, { account, installed }: WorldOptions): void {
  const { objects } = cluster;
  for (const name of ["kube-system", "default"]) objects.create(namespaces, { metadata: { name } });
  for (const { plural, group } of installedOf(installed).values())
    objects.create(
      { ...definitions, kind: "CustomResourceDefinition", namespaced: false },
      { metadata: { name: `${plural}.${group}` } },
    );
  cloud.addUser({ token, username: "ada" });
  if (account === false) return;
  cluster.secret("cloud-token", { token });
  cluster.create("CloudAccount", "default", { tokenSecretRef: { name: "cloud-token" } });
}

function peopleOf(
  objects: Objects,
  shared: Pick<People, "watch" | "latency" | "writeFaults" | "writes" | "events" | "releaseWatches">,
): People {
  const people: People = {
    ...shared,
    objects,
    create(kind, name, spec = {}, { namespace = "default", management, annotations, labels } = {}) {
      const ref = refOf(kind, name, namespace);
      const metadata = { ...ref, ...(annotations && { annotations }), ...(labels && { labels }) };
      return objects.create(resource(kind), { metadata, spec: { ...spec, ...(management && { management }) } });
    },
    secret: (name, data, namespace = "default") =>
      objects.create(secrets, { metadata: { name, namespace }, stringData: data }),
    get: (kind, name, namespace = "default") => objects.get(resource(kind), refOf(kind, name, namespace)),
    list: (kind) =>
      (kind === undefined ? [...resources.values()] : [resource(kind)]).flatMap((one) => objects.list(one)),
    patch: (kind, name, patch, namespace = "default") =>
      objects.patch(resource(kind), refOf(kind, name, namespace), patch),
    annotate: (kind, name, annotations, namespace) =>
      people.patch(kind, name, { metadata: { annotations } }, namespace),
    delete: (kind, name, namespace = "default") => people.beginDelete(kind, name, namespace)(),
    beginDelete: (kind, name, namespace = "default") =>
      objects.beginDelete(resource(kind), refOf(kind, name, namespace)),
  };
  return people;
}

function refOf(kind: string, name: string, namespace: string): ObjectRef {
  return resource(kind).namespaced ? { namespace, name } : { name };
}

function resource(kind: string): Resource {
  const core = [secrets, configMaps].find((one) => one.kind === kind);
  const found = core ?? resources.get(kind) ?? catalogResources.get(kind);
  if (!found) throw new Error(`no kind ${kind}`);
  return found;
}

export function conditionOf(object: KubeObject | undefined, type: string): Condition | undefined {
  return (object?.status?.["conditions"] as Condition[] | undefined)?.find((condition) => condition.type === type);
}

/** Judges the texts of a status patch. */
function judgeStatus({ verb, body }: KubeWrite): void {
  if (verb !== "patch-status") return;
  const { status = {} } = (body ?? {}) as { status?: Pick<CommonStatus, "conditions" | "plan"> };
  for (const { message } of status.conditions ?? []) judgeMessage(message);
}
