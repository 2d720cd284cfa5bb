/** Causes in the references of an object: other objects, Secrets and ConfigMaps, and objects that wait for each other. */
import type { KubeObject } from "../../cluster/types.ts";
import { isReady, specOf, statusOf } from "../../core/kind/object.ts";
import { reasonDocs } from "../../core/kind/reasons.ts";
import { heldKindsOf, kindOf } from "../../core/kind/reference.ts";
import type { ObjectReferenceTo, ReferenceEntry, SecretReferenceTo } from "../../core/kind/reference.ts";
import { nameForKubectl } from "../../core/kind/resource.ts";
import { accountOf } from "../../core/model/owners.ts";
import { argumentsOf, namedKinds, titleOf } from "../objects.ts";
import type { Named, NamedKind } from "../objects.ts";
import { program, quoted } from "../shell.ts";
import type { Explain } from "./account.ts";
import { storeCommand } from "./cures.ts";
import { linkOf } from "./link.ts";
import type { Link } from "./link.ts";
import type { Look } from "./look.ts";

export interface Target {
  kind: string;
  name: string;
  /** The referrer is a part of the target. */
  contained: boolean;
  /** The deletion of the target waits for the referrer. */
  holds: boolean;
}

type Spec = Record<string, unknown>;

/** Returns the objects to which an object refers by name. Ignores a reference that its spec does not fit. */
export function targetsOf({ kind, object }: Named): Target[] {
  const { id } = statusOf(object);
  return references(kind).flatMap((one) => {
    if ("secret" in one) return [];
    const isNeeded = one.creationOnly !== true || id === undefined;
    return entriesOf(one, object).flatMap((entry) => {
      if (entry.name === undefined) return [];
      const target = kindOf(one, entry);
      const holds = isNeeded && heldKindsOf(one).includes(target);
      return [{ kind: target, name: entry.name, contained: one.contained === true, holds }];
    });
  });
}

function references({ references: declared = {} }: NamedKind) {
  return Object.values(declared);
}

/** Returns the entries of a reference. A stored spec can have an older schema, and then has none. */
export function entriesOf(reference: ObjectReferenceTo<Spec>, { spec = {} }: KubeObject): ReferenceEntry[] {
  try {
    return [reference.from(spec) ?? []].flat();
  } catch {
    return [];
  }
}

/** Returns the referenced objects that do not exist, are not ready, or are in deletion. */
export async function referenceCauses(look: Look, named: Named, explain: Explain): Promise<Link[]> {
  const { namespace = "" } = named.object.metadata;
  const found = targetsOf(named).map(async ({ kind, name }) => {
    const object = await look.object(kind, namespace, name);
    if (object === "absent") return [absent(kind, namespace, name)];
    if (object === "hidden" || isUsable(object)) return [];
    return [await explain(kind, object)];
  });
  return [...(await Promise.all(found)).flat(), ...(await valueCauses(look, named, "ConfigMap"))];
}

function isUsable(object: KubeObject): boolean {
  return isReady(object.status ?? {}) && object.metadata.deletionTimestamp === undefined;
}

function absent(kind: string, namespace: string, name: string): Link {
  return {
    subject: `${kind} ${namespace}/${name}`,
    message: `${kind} ${name} does not exist in namespace ${namespace}`,
    cure: reasonDocs.WaitingForReference.cure,
    commands: [`kubectl get ${nameForKubectl(kind)} -n ${quoted(namespace)}`],
    because: [],
  };
}

/** Returns the referenced Secrets, or ConfigMaps, without the required key. */
export async function valueCauses(look: Look, { kind, object }: Named, from: "Secret" | "ConfigMap"): Promise<Link[]> {
  const { namespace = "" } = object.metadata;
  const values = references(kind).filter((one) => "secret" in one);
  const found = values
    .filter((one) => (one.in ?? "Secret") === from)
    .map(async (one) => {
      const { name, key = one.key } = secretOf(one, object) ?? {};
      if (name === undefined) return [];
      const keys = await look.keys(from, namespace, name);
      if (keys === "hidden" || (keys !== "absent" && keys.has(key))) return [];
      const exists = keys !== "absent";
      const what = exists ? `${from} ${name} has no value under the key ${key}` : `${from} ${name} does not exist`;
      const link: Link = {
        subject: `${from} ${namespace}/${name}`,
        message: `${what} in namespace ${namespace}`,
        cure: reasonDocs.WaitingForSecret.cure.replace("Secret", from),
        commands: [storeCommand(from, namespace, { name, key, exists })],
        because: [],
      };
      return [link];
    });
  return (await Promise.all(found)).flat();
}

function secretOf(reference: SecretReferenceTo<Spec>, { spec = {} }: KubeObject) {
  try {
    return reference.secret(spec);
  } catch {
    return undefined;
  }
}

/** Returns the objects that prevent the deletion of an object: referrers, or the objects of a CloudAccount. */
export async function dependentCauses(look: Look, named: Named, explain: Explain): Promise<Link[]> {
  const { namespace = "" } = named.object.metadata;
  const kinds = namedKinds.filter(({ scope }) => scope !== "Cluster");
  const near = await Promise.all(kinds.map(async (kind) => ({ kind, all: await look.objects(kind, namespace) })));
  const holders = near.flatMap(({ kind, all }) =>
    all.flatMap((object) => (holds({ kind, object }, named) ? [object] : [])),
  );
  return Promise.all(holders.map((object) => holderLink(object, named.object, explain)));
}

function holds(referrer: Named, { kind, object }: Named): boolean {
  if (referrer.object.metadata.uid === object.metadata.uid) return false;
  if (kind.kind === "CloudAccount") {
    const account = `${object.metadata.namespace}/${object.metadata.name}`;
    return referrer.kind.kind !== "CloudAccount" && accountOf(referrer.object) === account;
  }
  const { policy, protect } = specOf(referrer.object).management ?? {};
  if (policy === "Observe") return false;
  // The cloud deletes a part with the whole, unless the user keeps the part.
  const isKept = protect === true || policy === "Paused";
  return targetsOf(referrer).some(
    (one) => one.kind === kind.kind && one.name === object.metadata.name && (one.contained ? isKept : one.holds),
  );
}

async function holderLink(holder: KubeObject, held: KubeObject, explain: Explain): Promise<Link> {
  if (holder.metadata.deletionTimestamp !== undefined) return explain(holder.kind, holder);
  return {
    subject: titleOf(holder),
    message: `${titleOf(holder)} uses ${titleOf(held)}, so the operator waits for its deletion`,
    cure: reasonDocs.WaitingForDependents.cure,
    commands: unblocking(holder),
    object: holder,
    because: [],
  };
}

function unblocking(holder: KubeObject): string[] {
  const { policy, protect } = specOf(holder).management ?? {};
  return [
    ...(protect === true ? [`${program} protect ${argumentsOf(holder)} --off`] : []),
    ...(policy === "Paused" ? [`${program} resume ${argumentsOf(holder)}`] : []),
    `kubectl delete ${argumentsOf(holder)}`,
  ];
}

/** Returns the parents in deletion. */
export async function parentCauses(look: Look, named: Named, explain: Explain): Promise<Link[]> {
  const { namespace = "" } = named.object.metadata;
  const parents = targetsOf(named).filter(({ contained }) => contained);
  const found = parents.map(async ({ kind, name }) => {
    const object = await look.object(kind, namespace, name);
    return typeof object === "string" || object.metadata.deletionTimestamp === undefined
      ? []
      : [await explain(kind, object)];
  });
  return (await Promise.all(found)).flat();
}

/** Returns the cause of a cycle: the object already occurs in the explanation. */
export function cycle(object: KubeObject): Link {
  const wait = {
    reason: "WaitingForReference",
    message: `${titleOf(object)} also waits for this object`,
  };
  return { ...linkOf(object, wait), commands: [`kubectl delete ${argumentsOf(object)}`] };
}
