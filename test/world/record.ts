/** The record in the status of an object, as tests read, sign and forge it. */
import { createSecretKey } from "node:crypto";
import type { KubeObject } from "../../src/cluster/types.ts";
import { recordText, unprovenRecord } from "../../src/core/kind/record.ts";
import type { Stored } from "../../src/core/kind/record.ts";
import { installationKey } from "./process.ts";

type Recorded = Pick<KubeObject, "status"> | undefined;

/** Returns the facts of a record, whoever wrote it. */
export function recordOf(object: Recorded): Stored {
  const text = object?.status?.["record"];
  return typeof text === "string" ? (unprovenRecord(text) ?? {}) : {};
}

/** Returns a record that the installation signed. */
export function signedRecord(object: KubeObject, facts: Stored): string {
  return recordText(object, facts, createSecretKey(installationKey)) ?? "";
}

/** Returns the record with other facts, and the signature that it had. Null removes a fact. */
export function forgedRecord(object: Recorded, facts: object): string {
  const text = object?.status?.["record"];
  const { signature = "A".repeat(43), ...former } = JSON.parse(typeof text === "string" ? text : "{}") as {
    signature?: string;
  };
  const entries = Object.entries({ ...former, ...facts }).filter(([, fact]) => fact !== null);
  return JSON.stringify({ ...Object.fromEntries(entries), signature });
}
