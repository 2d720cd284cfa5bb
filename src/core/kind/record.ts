/**
 * The record of an object: the ID of the cloud object, and the operations of the operator. The record is one signed text in
 * `status.record`. The operator reads no other status field.
 *
 * Without a signature, a user who can write the status could name a foreign cloud object, repeat a disruptive request, or cause another
 * creation. The signature covers the UID and the kind of the object. The journal entry contains the account.
 */
import type { KeyObject } from "node:crypto";
import * as z from "zod";
import type { KubeObject } from "../../cluster/types.ts";
import { memoize, memoizeFor } from "./memoize.ts";
import { isSignedText, signedText } from "./signature.ts";
import { operationSchema, runSchema } from "./status-schema.ts";
import type { CommonStatus } from "./status-schema.ts";

const recordSchema = z.object({
  /** ID of the cloud object. */
  id: z.string().optional(),
  /** Proves that the ID still means the same cloud object: see model/origin.ts. */
  origin: z.string().optional(),
  /** The operator adopted the cloud object, and did not create it. */
  adopted: z.boolean().optional(),
  /**
   * The last cloud object that the user chose for adoption, and the generation of the spec at the adoption. `observing`: the object
   * only observed the cloud object so far.
   */
  adoption: z.object({ id: z.string(), generation: z.int().optional(), observing: z.boolean().optional() }).optional(),
  /** Last applied values of fields whose change disrupts, keyed digests, and additions to other cloud objects. */
  applied: z.record(z.string(), z.string()).optional(),
  /** The last disruptive operation of each action. */
  operations: z.array(operationSchema).optional(),
  /** Values of the kind for its next reconcile: see `records` of a kind. */
  notes: z.record(z.string(), z.string()).optional(),
  /** ID of a cloud object whose deletion the operator intends. A restricted token does not see the result. */
  deletedID: z.string().optional(),
  /** The creation attempt without any effect. */
  refusedAttempt: z.string().optional(),
  /** The creation attempt whose result the operator deletes, because its secret is unknown, with ID and origin of the result. */
  discarded: z.object({ attempt: z.string(), id: z.string(), origin: z.string().optional() }).optional(),
  /** UIDs of the referenced objects that an operation first found, by the field of the reference; see read/bound.ts. */
  bound: z.record(z.string(), z.string()).optional(),
  /** The last generation that the operator applied completely. */
  appliedGeneration: z.int().optional(),
  /** Hash of the last approved plan. */
  approvedPlan: z.string().optional(),
  /** The run of a kind that runs once. `status.run` shows the same run to users. */
  run: runSchema.optional(),
});

type Content = z.infer<typeof recordSchema>;

/** All facts that a record can have. */
export type Facts = { [Fact in keyof Content]-?: Content[Fact] | undefined };

/** The facts of a stored record. */
export type Stored = Partial<Facts>;

const names = Object.keys(recordSchema.shape) as (keyof Content)[];

/** Returns the facts among the members of a value. */
export function factsIn(value: Stored): Facts {
  return Object.fromEntries(names.map((name) => [name, value[name]])) as Facts;
}

/** Returns the text of `status.record`; undefined without a fact. The same facts give the same text. */
export function recordText(object: KubeObject, facts: Stored, key: KeyObject): string | undefined {
  const content = JSON.stringify(facts, byName);
  return content === "{}" ? undefined : signedText(content, key, subjectOf(object));
}

/** Returns the record of an object; undefined without a text that this installation signed for the object. */
export function recordIn(object: KubeObject, key: KeyObject): Stored | undefined {
  const { record } = (object.status ?? {}) as CommonStatus;
  if (record === undefined) return undefined;
  return proven(`${subjectOf(object)}${record}`, key);
}

/** Returns the facts of a text without a test of the signature. */
export const unprovenRecord = memoize((text: string): Stored | undefined => {
  try {
    return recordSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
});

/** `question`: subject and text. */
const proven = memoizeFor((question: string, key: KeyObject): Stored | undefined => {
  const start = question.indexOf("{");
  const [subject, text] = [question.slice(0, start), question.slice(start)];
  return start >= 0 && isSignedText(text, key, subject) ? unprovenRecord(text) : undefined;
});

function subjectOf({ kind, metadata }: KubeObject): string {
  return `record ${metadata.uid} ${kind} `;
}

function byName(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
