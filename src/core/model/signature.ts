/**
 * Proofs that this installation wrote what a status records: what is the object's own, and what was done to it.
 *
 * Whoever may write the status of an object could name another's cloud object in it, with that one's time of creation;
 * or say that what destroys was not applied yet, or is settled, so that it is sent again; or that a creation without a
 * response was refused, so that another one is sent; or that a cloud object that is not shown was deleted.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { KubeObject } from "../../cluster/types.ts";
import type { CommonStatus } from "../kind/status-schema.ts";
import { lately } from "../kind/memoize.ts";

type Part<Fields extends keyof CommonStatus> = { [Field in Fields]?: CommonStatus[Field] | undefined };

/** What was done to the cloud object, or to create it; of a run, what it has made. */
export type Done = Part<"applied" | "operations" | "deletedID" | "refusedAttempt" | "run">;

const byKey = new WeakMap<KeyObject, (payload: string) => string>();

/** The signature of a text by the installation's key. */
export function signatureOf(payload: string, key: KeyObject): string {
  const sign = byKey.get(key) ?? lately((text: string) => createHmac("sha256", key).update(text).digest("base64url"));
  byKey.set(key, sign);
  return sign(payload);
}

/** Signs the record for this object alone. It does not name the account: the intent does. */
export function proofOf(
  { kind, metadata }: KubeObject,
  { id, origin, adopted }: Part<"id" | "origin" | "adopted">,
  key: KeyObject,
): string {
  const record = ["status", metadata.uid, kind, id, origin ?? null, adopted ?? false];
  return signatureOf(JSON.stringify(record), key);
}

/** …and what was done to it; undefined where nothing was. */
export function appliedProofOf(
  { kind, metadata }: KubeObject,
  { id, applied, operations = [], deletedID, refusedAttempt, run }: Part<"id"> & Done,
  key: KeyObject,
): string | undefined {
  const made = run?.made === undefined ? [] : [run.id, run.result ?? null, run.made];
  const isPlain = deletedID === undefined && refusedAttempt === undefined && made.length === 0;
  const rare = isPlain ? [] : [deletedID, refusedAttempt, ...made];
  if (applied === undefined && operations.length === 0 && rare.length === 0) return undefined;
  const record = ["applied", metadata.uid, kind, id, applied ?? null, operations, ...rare];
  return signatureOf(JSON.stringify(record, byName), key);
}

/** True where the status of the object carries the proof of what it records. */
export function isProven(object: KubeObject, key: KeyObject): boolean {
  const status = (object.status ?? {}) as CommonStatus;
  return isSame(status.proof, proofOf(object, status, key));
}

/** What the status says that was done, where it carries the proof of that; otherwise nothing is known. */
export function doneOf(object: KubeObject, key: KeyObject): Done {
  const status = (object.status ?? {}) as CommonStatus;
  return isSame(status.appliedProof, appliedProofOf(object, status, key)) ? status : {};
}

function isSame(given = "", wanted = ""): boolean {
  // Of most objects nothing was done that would need a proof.
  if (given === "" && wanted === "") return true;
  const [found, expected] = [Buffer.from(given), Buffer.from(wanted)];
  return found.length === expected.length && timingSafeEqual(found, expected);
}

/** The API server returns members in an order of its own. */
function byName(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
