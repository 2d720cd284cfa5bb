/**
 * Holders of a cloud object. The operator does not delete a cloud object before its holders.
 *
 * Holding follows the cloud object, not the form of a reference. A reference by id counts, and so does a reference by the name of
 * any custom resource for the cloud object. An object in a foreign namespace counts only with a cloud object, and only while
 * `sharing.existing` names the namespace. Objects of unwatched namespaces are unknown, so there the sharing alone counts.
 */
import { readyOf, specOf, statusOf } from "../kind/object.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { beats, mayShareAccount, nameFor, ownerOf } from "../model/ownership.ts";
import { cloudKey } from "../watch/dependents.ts";
import type { Relation } from "../watch/dependents.ts";
import type { Connected } from "../model/context.ts";
import { collectionOf } from "../model/context.ts";
import { keyOfObject, parseKey } from "../kind/resource.ts";
import { waitForHolders } from "../model/holder.ts";
import type { Holder, HolderWords } from "../model/holder.ts";
import { disabledHolders } from "./disabled-kinds.ts";
import { hasInCloud, mayNameExisting } from "./holding.ts";
import { unwatchedHolders } from "./unwatched.ts";

/** Returns true if a request must not leave before the holders. */
export function asksForHolders(at: Connected): boolean {
  return at.deletes !== undefined || isDeleted(at);
}

/** Returns false for a vanished object: a reference by name waits for the next object with the name. */
function isDeleted({ object, stray }: Connected): boolean {
  return object.metadata.deletionTimestamp !== undefined && !stray;
}

export interface Meant {
  /** Keys of the custom resources for the cloud object. Without the key of the object itself if the object stays or vanished. */
  keys: string[];
  /** Undefined without a cloud object, or if a stronger object manages the cloud object. */
  cloud: { key: string; id: string; list: string; path: string } | undefined;
}

export function meantBy(at: Connected): Meant {
  const { claims } = at.environment;
  const keys = isDeleted(at) ? [at.key] : [];
  const { collection, id } = at.deletes ?? claims.of(at.key) ?? {};
  if (at.kind.shape !== "owned" || collection === undefined || id === undefined) return { keys, cloud: undefined };
  const owner = ownerOf(at.environment, at.object, { collection, id });
  if (owner && beats(at, owner)) return { keys, cloud: undefined };
  const others = claims.ofId(collection, id).filter((key) => key !== at.key && standsForSame(at, key));
  const path = collectionOf(at.kind, collection).itemPath(id);
  return { keys: [...keys, ...others], cloud: { key: cloudKey(at.kind.kind, id), id, list: collection, path } };
}

function standsForSame(at: Connected, key: string): boolean {
  const { kind, ...ref } = parseKey(key);
  const other = at.environment.caches.get(kind)?.get(ref);
  return kind === at.kind.kind && other !== undefined && mayShareAccount(at.environment, other, at.object);
}

/** Throws `Waiting` if the caches show a holder of the cloud object. */
export function refuseHeld(at: Connected): void {
  const { dependents, caches } = at.environment;
  const meant = meantBy(at);
  const targets = [...meant.keys, ...(meant.cloud ? [meant.cloud.key] : [])];
  const held = targets.flatMap((target) =>
    dependents.of(target).flatMap(({ key, ...relation }) => {
      const { kind, ...ref } = parseKey(key);
      const object = caches.get(kind)?.get(ref);
      return object ? (heldBy(at, object, relation) ?? []) : [];
    }),
  );
  const place = meant.cloud && { list: meant.cloud.list, path: meant.cloud.path };
  const unwatched = meant.cloud ? unwatchedHolders(at) : [];
  throwHeld([...held, ...disabledHolders(at, place, isDeleted(at)), ...unwatched]);
}

const words: HolderWords = {
  relation: "referred to",
  next: "The operator deletes this object after them",
  unseen: "The operator keeps the cloud object",
  advice: {
    delete: "Delete them, or change their references",
    enable: "enable the kinds that are switched off",
    unshare: "or remove their namespaces from spec.sharing.existing of the CloudAccount",
  },
};

function throwHeld(held: Holder[]): void {
  if (held.length > 0) throw waitForHolders(held, words);
}

/**
 * Returns a holder, or undefined if the object does not hold. An object inside the cloud object, such as a record of a zone, holds
 * the cloud object only if protected or paused.
 */
function heldBy(at: Connected, object: KubeObject, relation: Relation): Holder | undefined {
  if (keyOfObject(object) === at.key) return undefined;
  if (!relation.holds || (relation.creationOnly && !mayCreate(at, object))) return undefined;
  const { protect, policy } = specOf(object).management ?? {};
  const kept = protect ? " (protected)" : policy === "Paused" ? " (paused)" : "";
  if (relation.contained && kept === "") return undefined;
  if (!mayShareAccount(at.environment, object, at.object)) return undefined;
  const { name, namespace } = object.metadata;
  if (namespace === at.object.metadata.namespace) return { name: `${object.kind} ${name}${kept}`, cure: "delete" };
  if (!hasInCloud(at.environment, object) || !mayNameExisting(at.environment, object)) return undefined;
  return { name: `${nameFor(at, object)}${kept}`, cure: "unshare" };
}

/** Returns false for a creation before the first request, and for a failed creation. Neither begins during the deletion. */
function mayCreate({ environment: { claims, memory } }: Connected, object: KubeObject): boolean {
  if (memory.of(object.metadata.uid).claiming !== undefined) return true;
  const isClaiming = claims.of(keyOfObject(object)) !== undefined;
  return isClaiming && readyOf(statusOf(object).conditions)?.reason !== "WaitingForReference";
}
