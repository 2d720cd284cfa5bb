/**
 * Proof that this installation wrote what a status records as the object's own.
 *
 * Whoever may write the status of an object could name another's cloud object in it, with that one's time of creation.
 */
import { timingSafeEqual } from "node:crypto";
import type { KeyObject } from "node:crypto";
import type { KubeObject } from "../../cluster/types.ts";
import type { CommonStatus } from "../kind/status-schema.ts";
import { signatureOf } from "./signature.ts";

type Recorded = { [Field in "id" | "origin" | "adopted"]?: CommonStatus[Field] | undefined };

/** Signs the record for this object alone. It does not name the account: the intent does. */
export function proofOf({ kind, metadata }: KubeObject, { id, origin, adopted }: Recorded, key: KeyObject): string {
  const record = ["status", metadata.uid, kind, id, origin ?? null, adopted ?? false];
  return signatureOf(JSON.stringify(record), key);
}

/** True where the status of the object carries the proof of what it records. */
export function isProven(object: KubeObject, key: KeyObject): boolean {
  const status = (object.status ?? {}) as CommonStatus;
  const { proof = "" } = status;
  const expected = Buffer.from(proofOf(object, status, key));
  const found = Buffer.from(proof);
  return found.length === expected.length && timingSafeEqual(found, expected);
}
