/**
 * Holders of a cloud object. The operator does not delete a cloud object before its holders.
 *
 * The form of the reference does not matter: an object can hold a cloud object by ID, or by the name of any custom resource that
 * stands for the cloud object. An object in a foreign namespace counts only with a cloud object, and only while
 * `sharing.existing` names the namespace. Objects of unwatched namespaces are unknown, so there the sharing alone counts.
 */
import { readyOf, specOf, statusOf } from "../kind/object.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { beats, mayShareAccount, nameFor, ownerOf } from "../model/owners.ts";
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
export function asksForHolders(ctx: Connected): boolean {
  return ctx.deletes !== undefined || isDeleted(ctx);
}

/** Returns false for a vanished object: a reference by name waits for the next object with the name. */
function isDeleted({ object, orphaned }: Connected): boolean {
  return object.metadata.deletionTimestamp !== undefined && !orphaned;
}

export interface Meant {
  /** Keys of the custom resources for the cloud object. Without the key of the object itself if the object stays or vanished. */
  keys: string[];
  /** Undefined without a cloud object, or if a stronger object manages the cloud object. */
  cloud: { key: string; id: string; list: string; path: string } | undefined;
}

export function meantBy(ctx: Connected): Meant {
  const { claims } = ctx.environment;
  const keys = isDeleted(ctx) ? [ctx.key] : [];
  const { collection, id } = ctx.deletes ?? claims.of(ctx.key) ?? {};
  if (ctx.kind.shape !== "owned" || collection === undefined || id === undefined) return { keys, cloud: undefined };
  const owner = ownerOf(ctx.environment, ctx.object, { collection, id });
  if (owner && beats(ctx, owner)) return { keys, cloud: undefined };
  const others = claims.ofId(collection, id).filter((key) => key !== ctx.key && standsForSame(ctx, key));
  const path = collectionOf(ctx.kind, collection).itemPath(id);
  return { keys: [...keys, ...others], cloud: { key: cloudKey(ctx.kind.kind, id), id, list: collection, path } };
}

function standsForSame(ctx: Connected, key: string): boolean {
  const { kind, ...ref } = parseKey(key);
  const other = ctx.environment.caches.get(kind)?.get(ref);
  return kind === ctx.kind.kind && other !== undefined && mayShareAccount(ctx.environment, other, ctx.object);
}

/** Throws `Waiting` if the caches show a holder of the cloud object. */
export function refuseHeld(ctx: Connected): void {
  const { dependents, caches } = ctx.environment;
  const meant = meantBy(ctx);
  const targets = [...meant.keys, ...(meant.cloud ? [meant.cloud.key] : [])];
  const held = targets.flatMap((target) =>
    dependents.of(target).flatMap(({ key, ...relation }) => {
      const { kind, ...ref } = parseKey(key);
      const object = caches.get(kind)?.get(ref);
      return object ? (holderFrom(ctx, object, relation) ?? []) : [];
    }),
  );
  const place = meant.cloud && { list: meant.cloud.list, path: meant.cloud.path };
  const unwatched = meant.cloud ? unwatchedHolders(ctx) : [];
  throwHeld([...held, ...disabledHolders(ctx, place, isDeleted(ctx)), ...unwatched]);
}

const objectWords: HolderWords = {
  relation: "referred to",
  next: "The operator deletes this object when no object refers to it",
  unseen: "The operator keeps the cloud object",
  advice: {
    delete: "Delete them, or change their references",
    enable: "enable the kinds that are switched off",
    unshare: "or remove their namespaces from spec.sharing.existing of the CloudAccount",
  },
};

function throwHeld(held: Holder[]): void {
  if (held.length > 0) throw waitForHolders(held, objectWords);
}

/**
 * Returns a holder, or undefined if the object does not hold. An object inside the cloud object, such as a record of a zone, holds
 * the cloud object only if protected or paused.
 */
function holderFrom(ctx: Connected, object: KubeObject, relation: Relation): Holder | undefined {
  if (keyOfObject(object) === ctx.key) return undefined;
  if (!relation.holds || (relation.creationOnly && !mayCreate(ctx, object))) return undefined;
  const { policy } = specOf(object).management ?? {};
  const kept = isProtected(ctx.environment, object) ? " (protected)" : policy === "Paused" ? " (paused)" : "";
  if (relation.contained && kept === "") return undefined;
  if (!mayShareAccount(ctx.environment, object, ctx.object)) return undefined;
  const { name, namespace } = object.metadata;
  if (namespace === ctx.object.metadata.namespace) return { name: `${object.kind} ${name}${kept}`, cure: "delete" };
  if (!hasInCloud(ctx.environment, object) || !mayNameExisting(ctx.environment, object)) return undefined;
  return { name: `${nameFor(ctx, object)}${kept}`, cure: "unshare" };
}

/** Tests if the admission policies refuse to delete the object. The chart gives operator and policies the same setting. */
export function isProtected({ settings, kinds }: Connected["environment"], object: KubeObject): boolean {
  const byDefault = settings.protectByDefault && kinds.get(object.kind)?.loses !== undefined;
  return specOf(object).management?.protect ?? byDefault;
}

/** Returns false for a creation before the first request, and for a failed creation. Neither begins during the deletion. */
function mayCreate({ environment: { claims, memory } }: Connected, object: KubeObject): boolean {
  if (memory.of(object.metadata.uid).claiming !== undefined) return true;
  const isClaiming = claims.of(keyOfObject(object)) !== undefined;
  return isClaiming && readyOf(statusOf(object).conditions)?.reason !== "WaitingForReference";
}
