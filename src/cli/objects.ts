/** Kinds and objects that the user names on the command line. */
import type { KubeObject } from "../cluster/types.ts";
import type { Described } from "../core/kind/described.ts";
import { reasonDocs } from "../core/kind/reasons.ts";
import type { Reason } from "../core/kind/reasons.ts";
import { group, nameForKubectl, resourceOf } from "../core/kind/resource.ts";
import type { Mirror } from "../core/kind/mirror.ts";
import type { Kind } from "../core/kind/owned.ts";
import { cloudAccount } from "../kinds/account/cloud-account.ts";
import { kinds, mirrors } from "../kinds/registry.ts";
import { Failure } from "./failure.ts";
import type { Session } from "./session.ts";
import { quoted } from "./shell.ts";

/** A kind of the operator: of the reconcile flow, CloudAccount, or a catalog. */
export type NamedKind = Described &
  Omit<Partial<Kind>, keyof Described | "shape"> & { shape?: Kind["shape"] | Mirror["shape"] };

export interface Named {
  kind: NamedKind;
  object: KubeObject;
}

export const namedKinds: readonly NamedKind[] = [...kinds, cloudAccount, ...mirrors];

/** Returns the kind with a name as kubectl accepts it: `ComputeInstance`, `computeinstances`, `cpci`. Throws `Failure`. */
export function kindNamed(word: string): NamedKind {
  const name = word.toLowerCase().replace(`.${group}`, "");
  const found = namedKinds.find((one) => [one.kind.toLowerCase(), one.plural, ...one.shortNames].includes(name));
  if (found) return found;
  throw new Failure(`no kind has the name ${word}. Use one of: ${namedKinds.map(({ kind }) => kind).join(", ")}`);
}

/** Reads the object of the arguments `KIND NAME`, or `KIND/NAME`. Throws `Failure` if the object does not exist. */
export async function readNamed(session: Session, args: readonly (string | undefined)[]): Promise<Named> {
  const { word, name } = splitName(args);
  const kind = kindNamed(word);
  const { kube, namespace } = session.cluster();
  const object = await kube.get(resourceOf(kind), { namespace, name });
  if (object) return { kind, object };
  throw new Failure(
    `${kind.kind} ${name} does not exist in namespace ${namespace}. Check -n, or list with kubectl get ${nameForKubectl(kind.kind)} -A`,
  );
}

/** Splits the arguments `KIND NAME` or `KIND/NAME`. */
export function splitName([first = "", second]: readonly (string | undefined)[]): { word: string; name: string } {
  const [word = "", inFirst, ...more] = first.split("/");
  const name = second ?? inFirst;
  if (name === undefined || name === "" || more.length > 0 || (second !== undefined && inFirst !== undefined))
    throw new Failure("name one object, such as ComputeInstance web-1 or computeinstance/web-1");
  return { word, name };
}
/** Returns true if the text is a reason of the operator. */
export function isReason(text: string | undefined): text is Reason {
  return text !== undefined && Object.hasOwn(reasonDocs, text);
}

/** Returns the name of an object for messages, such as `ComputeInstance shop/web-1` or `Region us-east`. */
export function titleOf({ kind, metadata: { namespace, name } }: Pick<KubeObject, "kind" | "metadata">): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** Returns the options that name an object in a command for users, such as `computeinstance web-1 -n shop`. */
export function argumentsOf({ kind, metadata }: Pick<KubeObject, "kind" | "metadata">): string {
  return `${nameForKubectl(kind)} ${quoted(metadata.name)} -n ${quoted(metadata.namespace ?? "default")}`;
}
