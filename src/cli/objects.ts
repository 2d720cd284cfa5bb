/** Kinds and objects that the user names on the command line. */
import type { KubeObject } from "../cluster/types.ts";
import type { Described } from "../core/kind/described.ts";
import { group, nameForKubectl, resourceOf } from "../core/kind/resource.ts";
import type { Kind } from "../core/kind/owned.ts";
import { cloudAccount } from "../kinds/account/cloud-account.ts";
import { kinds } from "../kinds/registry.ts";
import { Failure } from "./failure.ts";
import type { Session } from "./session.ts";

/** A kind of objects that users write: a kind of the reconcile flow, or CloudAccount. */
export type NamedKind = Described & Partial<Kind>;

export interface Named {
  kind: NamedKind;
  object: KubeObject;
}

export const namedKinds: readonly NamedKind[] = [...kinds, cloudAccount];

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
