import { randomUUID } from "node:crypto";
import { createKubeClient } from "../../src/cluster/client.ts";
import { loadKubeConfig } from "../../src/cluster/credentials.ts";
import { createTransport } from "../../src/cluster/transport.ts";
import type { KubeClient, KubeObject } from "../../src/cluster/types.ts";
import type { Condition } from "../../src/core/kind/status-schema.ts";
import { resourceOf } from "../../src/core/kind/resource.ts";
import { cloudAccount } from "../../src/kinds/account/cloud-account.ts";
import { kinds, mirrors } from "../../src/kinds/registry.ts";
import { startOperator } from "../../src/operator.ts";
import type { Operator, OperatorOptions } from "../../src/operator.ts";
import { systemClock } from "../../src/process/clock.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import type { Simulator, SimulatorOptions } from "../../src/simulator/simulator.ts";
import { applyObject } from "./apply.ts";
import type { ControlPlane } from "./control-plane.ts";
import { testNamespace } from "./test-namespace.ts";

/** What goes wrong unexpectedly is shown; what tests do to the operator on purpose is not. */
const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (fields: object, message: string) => process.stderr.write(`${message} ${show(fields)}\n`),
};

/** A cloud, a namespace and an operator that connects them: what most tests of behaviour run on. */
export interface World {
  namespace: string;
  simulator: Simulator;
  /** Ends the operator and starts another, as a restart of the process would. */
  restartOperator: (overrides?: Partial<OperatorOptions>) => Promise<void>;
  stopOperator: () => Promise<void>;
  operator: () => Operator;
  /** Server-side apply; throws what the API server says when it is refused. */
  apply: (...objects: object[]) => Promise<void>;
  object: (kind: string, name: string, spec?: object, metadata?: object) => object;
  get: (kind: string, name: string) => Promise<KubeObject | undefined>;
  /** Polls until the condition holds; throws with the object as it then is. */
  until: (kind: string, name: string, what: (object: KubeObject) => boolean, timeoutMs?: number) => Promise<KubeObject>;
  ready: (kind: string, name: string, timeoutMs?: number) => Promise<KubeObject>;
  condition: (kind: string, name: string, type: string, reason: string, timeoutMs?: number) => Promise<KubeObject>;
  gone: (kind: string, name: string, timeoutMs?: number) => Promise<void>;
  patch: (kind: string, name: string, patch: object) => Promise<KubeObject>;
  remove: (kind: string, name: string) => Promise<void>;
  kube: KubeClient;
  stop: () => Promise<void>;
}

export interface WorldOptions {
  simulator?: SimulatorOptions;
  operator?: Partial<OperatorOptions>;
  /** False: no CloudAccount `default` is made. */
  account?: boolean;
  /** False: the operator is not started yet. */
  start?: boolean;
}

/** All worlds of tests sign with it. */
export const installationKey = new TextEncoder().encode("the key with which all worlds of tests sign");

/** Polls and windows as short as the tests need them; everything else as in production. */
export function operatorOptions(
  namespace: string,
  url: string,
  kubeConfig: OperatorOptions["kubeConfig"],
): OperatorOptions {
  return {
    kubeConfig,
    namespaces: [namespace],
    endpoints: [{ name: "default", url }],
    brandWord: "compute",
    installationId: "test",
    installationKey,
    workers: 16,
    clock: systemClock,
    log,
    pollMs: 500,
    fastPollMs: 200,
    resyncMs: 600_000,
    feedMs: 500,
    pageSize: 500,
    settle: { freeMs: 1_500, billableMs: 3_000 },
    leaderElection: undefined,
  };
}

/** Builds a world in a fresh namespace of the given control plane. */
export async function startWorld(
  cluster: Pick<ControlPlane, "kubeconfig">,
  options: WorldOptions = {},
): Promise<World> {
  const namespace = `world-${randomUUID().slice(0, 8)}`;
  const simulator = await startSimulator({ timeScale: 600, ...options.simulator });
  const config = { text: cluster.kubeconfig };
  const transport = createTransport({ config: () => loadKubeConfig(config), clock: systemClock });
  const kube = createKubeClient(transport);
  await kube.create(namespaces, testNamespace(namespace));
  let operator: Operator | undefined;

  const start = async (overrides: Partial<OperatorOptions> = {}): Promise<void> => {
    operator = await startOperator({
      ...operatorOptions(namespace, simulator.url, config),
      ...options.operator,
      ...overrides,
    });
    await operator.ready;
  };
  const world: World = {
    namespace,
    simulator,
    kube,
    operator: () => operator ?? failed("the operator is not running"),
    async restartOperator(overrides) {
      await operator?.stop();
      await start(overrides);
    },
    async stopOperator() {
      await operator?.stop();
      operator = undefined;
    },
    async apply(...objects) {
      for (const object of objects as KubeObject[])
        await applyObject(transport, resourceOfKind(object.kind), {
          ...object,
          metadata: { ...object.metadata, namespace },
        });
    },
    object: (kind, name, spec, metadata) => objectOf(kind, name, namespace, spec, metadata),
    get: (kind, name) => kube.get(resourceOfKind(kind), { namespace, name }),
    ...waits(kube, namespace),
    patch: (kind, name, patch) =>
      kube.patch(resourceOfKind(kind), { namespace, name }, patch as Record<string, unknown>),
    remove: (kind, name) => kube.delete(resourceOfKind(kind), { namespace, name }),
    async stop() {
      await operator?.stop();
      await simulator.close();
      await transport.close();
    },
  };
  if (options.account !== false) await world.apply(...accountObjects(namespace, simulator.token));
  if (options.start !== false) await start();
  return world;
}

/** The account `default` with the Secret that holds its token. */
export function accountObjects(namespace: string, token: string): object[] {
  return [
    { apiVersion: "v1", kind: "Secret", metadata: { name: "cloud-token", namespace }, stringData: { token } },
    objectOf("CloudAccount", "default", namespace, { tokenSecretRef: { name: "cloud-token" } }),
  ];
}

export function conditionOf(object: KubeObject, type: string): Condition | undefined {
  return (object.status?.["conditions"] as Condition[] | undefined)?.find((condition) => condition.type === type);
}

const namespaces = { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false };

/** Returns the resource of a kind, also of core kinds with regular plurals such as Secret. */
export function resourceOfKind(kind: string) {
  const found = [...kinds, ...mirrors, cloudAccount].find((one) => one.kind === kind);
  return found
    ? resourceOf(found)
    : { group: "", version: "v1", plural: `${kind.toLowerCase()}s`, kind, namespaced: true };
}

function objectOf(kind: string, name: string, namespace: string, spec?: object, metadata?: object): object {
  return { apiVersion: "cloudplatform.dev/v1alpha1", kind, metadata: { name, namespace, ...metadata }, spec };
}

/** Returns the waits for objects of one namespace. */
export function waits(kube: KubeClient, namespace: string): Pick<World, "until" | "ready" | "condition" | "gone"> {
  async function until(
    kind: string,
    name: string,
    what: (object: KubeObject) => boolean,
    timeoutMs = 20_000,
  ): Promise<KubeObject> {
    const end = Date.now() + timeoutMs;
    for (;;) {
      const object = await kube.get(resourceOfKind(kind), { namespace, name });
      if (object && what(object)) return object;
      if (Date.now() > end)
        throw new Error(`${kind} ${name} did not get there:\n${show(object?.status ?? "it does not exist")}`);
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
  }
  return {
    until,
    ready: (kind, name, timeoutMs) => until(kind, name, isReady, timeoutMs),
    condition: (kind, name, type, reason, timeoutMs) =>
      until(
        kind,
        name,
        (object) => conditionOf(object, type)?.status === "True" && conditionOf(object, type)?.reason === reason,
        timeoutMs,
      ),
    async gone(kind, name, timeoutMs = 20_000) {
      const end = Date.now() + timeoutMs;
      for (;;) {
        const object = await kube.get(resourceOfKind(kind), { namespace, name });
        if (!object) return;
        if (Date.now() > end) throw new Error(`${kind} ${name} is still there:\n${show(object)}`);
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
    },
  };
}

function isReady(object: KubeObject): boolean {
  return (
    object.status?.["observedGeneration"] === object.metadata.generation &&
    conditionOf(object, "Ready")?.status === "True"
  );
}

function show(value: unknown): string {
  return JSON.stringify(
    value,
    (_, inner: unknown) => (inner instanceof Error ? (inner.stack ?? inner.message) : inner),
    1,
  );
}

function failed(message: string): never {
  throw new Error(message);
}
