/** Runs commands on the API server of a world in memory, with the rights of its administrator. */
import type { CommandDefinition, OptionValues } from "../../../src/cli/command.ts";
import type { Cluster } from "../../../src/cli/cluster.ts";
import { exitCodes, textOf } from "../../../src/cli/failure.ts";
import type { Answer } from "../../../src/cli/question.ts";
import type { Session } from "../../../src/cli/session.ts";
import { createTerminal } from "../../../src/cli/terminal.ts";
import type { KubeClient, KubeObject } from "../../../src/cluster/types.ts";
import { resourceOf } from "../../../src/core/kind/resource.ts";
import { namespaces } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import type { Ran } from "../run.ts";

interface Options {
  namespace?: string;
  /** Answers questions; without it, the command runs without a terminal. */
  answer?: (question: string) => Answer | Promise<Answer>;
  options?: OptionValues;
  /** Replaces calls of the client. */
  kube?: Partial<KubeClient>;
}

/** Runs a command. Returns the texts of an error as the program shows them. */
export async function runOn(
  world: World,
  command: CommandDefinition,
  args: string[],
  { namespace = "default", answer, options = {}, kube = {} }: Options = {},
): Promise<Ran> {
  const texts = { out: "", err: "" };
  const ambient = {
    environment: {},
    stdout: { write: (text: string) => void (texts.out += text) },
    stderr: { write: (text: string) => void (texts.err += text) },
    signal: new AbortController().signal,
    ask: answer && (async (question: string) => answer(question)),
  };
  const terminal = createTerminal(ambient);
  const session: Session = {
    terminal,
    clock: world.clock,
    signal: ambient.signal,
    environment: {},
    flags: options,
    hasCluster: true,
    cluster: () => clusterOf({ ...clientOf(world), ...kube }, namespace),
    account: () => Promise.reject(new Error("the account cannot be read")),
    accountOf: () => Promise.reject(new Error("the account cannot be read")),
    write: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const code = await command.run(session, args, options).catch((error: unknown) => {
    terminal.say(`error: ${textOf(error)}`);
    return exitCodes.error;
  });
  return { code, ...texts };
}

function clusterOf(kube: KubeClient, namespace: string): Cluster {
  return {
    kube,
    namespace,
    listed: namespace,
    objects: (kind, of) => kube.list(resourceOf(kind), { namespace: of }),
    close: () => Promise.resolve(),
  };
}

function clientOf(world: World): KubeClient {
  const { objects } = world.cluster;
  const notOffered = (): never => {
    throw new Error("no command of the command line does this");
  };
  // The objects throw KubeErrors, as the client does.
  const call = <T>(run: () => T) => new Promise<T>((resolve) => resolve(run()));
  return {
    get: (resource, ref) => call(() => objects.get(resource, resource.namespaced ? ref : { name: ref.name })),
    list: (resource, options) =>
      call(() =>
        resource.plural === "events"
          ? eventsOf(world, options.fields?.["regarding.uid"])
          : objects.list(resource, options),
      ),
    patch: (resource, ref, patch, { dryRun = false } = {}) =>
      call(() => objects.patch(resource, ref, patch, undefined, dryRun)),
    create: notOffered,
    patchStatus: notOffered,
    delete: notOffered,
    raw: notOffered,
  };
}

/** Events about the object with a UID, as the API server lists them. */
function eventsOf({ cluster }: World, wanted: string | undefined): KubeObject[] {
  const about = cluster.events().filter(({ kind, key }) => {
    const [namespace = "", name = ""] = key.split("/");
    return cluster.get(kind, name, namespace)?.metadata.uid === wanted;
  });
  return about.map(({ type, reason, action, note }, index) => {
    const uid = `event-${index}`;
    const metadata = { name: uid, namespace: "default", uid, resourceVersion: "1", creationTimestamp: "" };
    const eventTime = new Date(index).toISOString();
    return { apiVersion: "events.k8s.io/v1", kind: "Event", metadata, eventTime, type, reason, action, note };
  });
}

/** Creates a namespace. */
export function addNamespace({ cluster }: World, name: string): void {
  cluster.objects.create(namespaces, { metadata: { name } });
}
