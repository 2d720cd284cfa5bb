/** Changes of one object: shows the effect, asks, and patches exactly the object that the user has seen. */
import { isDeepStrictEqual } from "node:util";
import type { KubeObject } from "../cluster/types.ts";
import { isKubeError } from "../core/kind/outcome.ts";
import { group, nameForKubectl, refOf, resourceOf } from "../core/kind/resource.ts";
import type { CommandDefinition, OptionValues } from "./command.ts";
import { exitCodes, Failure } from "./failure.ts";
import { readNamed } from "./objects.ts";
import type { Named, NamedKind } from "./objects.ts";
import type { Session } from "./session.ts";

export interface Change {
  /** JSON merge patch, without `resourceVersion`. */
  patch: { metadata?: Record<string, unknown>; spec?: Record<string, unknown> };
  /** Lines that tell the user what the change does. */
  effects: string[];
  /** The result in one word, such as `approved`. */
  done: string;
}

/** Decides the change of an object. Throws `Failure` with one sentence if the change makes no sense. */
export type Decide = (
  named: Named,
  options: OptionValues,
  session: Session,
  args: readonly (string | undefined)[],
) => Change | Promise<Change>;

type Verb = Omit<CommandDefinition, "run" | "formats" | "changes" | "arguments"> & {
  decide: Decide;
  arguments?: string;
};

/** Most attempts if another client changes the object at the same time. */
const mostAttempts = 5;

/** Defines a command that changes one object. */
export function verb({ decide, arguments: given = "<kind> [name]", ...definition }: Verb): CommandDefinition {
  return {
    ...definition,
    arguments: given,
    formats: [],
    changes: true,
    async run(session, args, options) {
      const named = await readNamed(session, args);
      const change = await decide(named, options, session, args);
      for (const line of change.effects) session.terminal.say(line);
      const permitted = await permittedBy(session, options, named);
      if (permitted !== undefined) return permitted;
      const dryRun = options.dryRun === true;
      await carryOut(session, named, change, () => again(session, args, options, decide), dryRun);
      const { kind, metadata } = named.object;
      const name = `${nameForKubectl(kind).replace(`.${group}`, "")}.${group}/${metadata.name}`;
      session.terminal.data(`${name} ${change.done}${dryRun ? " (server dry run)" : ""}\n`);
      return exitCodes.ok;
    },
  };
}

/** Asks the user. Returns undefined if the change may run, otherwise the exit code. */
async function permittedBy({ terminal }: Session, { yes, dryRun }: OptionValues, { object }: Named) {
  if (yes === true || dryRun === true) return undefined;
  if (!terminal.ask)
    throw new Failure("the command asks before it changes an object, and this is no terminal. Add --yes, or --dry-run");
  const answer = await terminal.ask(`Change ${object.kind} ${object.metadata.namespace}/${object.metadata.name}?`);
  if (answer === "yes") return undefined;
  if (answer === "interrupted") return exitCodes.interrupted;
  terminal.say("Nothing was changed");
  return exitCodes.error;
}

async function again(
  session: Session,
  args: readonly (string | undefined)[],
  options: OptionValues,
  decide: Decide,
): Promise<{ named: Named; change: Change }> {
  const named = await readNamed(session, args);
  return { named, change: await decide(named, options, session, args) };
}

/**
 * Patches the object in the version that the user has seen. The operator can write the status at any time: if a newer version
 * has the same effect, the patch is sent again for that version.
 */
async function carryOut(
  session: Session,
  { kind, object }: Named,
  change: Change,
  reread: () => Promise<{ named: Named; change: Change }>,
  dryRun: boolean,
): Promise<void> {
  let version = object;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await patched(session, kind, version, change, dryRun);
      return;
    } catch (error) {
      if (!isKubeError(error) || error.status !== 409) throw error;
      const next = await reread();
      if (attempt >= mostAttempts || !isSame(object, change, next)) throw changed(object, error);
      version = next.named.object;
    }
  }
}

function patched(session: Session, kind: NamedKind, object: KubeObject, { patch }: Change, dryRun: boolean) {
  const { resourceVersion } = object.metadata;
  const guarded = { ...patch, metadata: { ...patch.metadata, resourceVersion } };
  return session.cluster().kube.patch(resourceOf(kind), refOf(object), guarded, { dryRun });
}

function isSame({ metadata }: KubeObject, change: Change, next: { named: Named; change: Change }): boolean {
  return metadata.uid === next.named.object.metadata.uid && isDeepStrictEqual(change, next.change);
}

function changed({ kind, metadata }: KubeObject, cause: unknown): Failure {
  return new Failure(
    `another client changed ${kind} ${metadata.namespace}/${metadata.name} at the same time. Nothing was changed. Run the command again`,
    { cause },
  );
}
