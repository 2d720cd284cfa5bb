/**
 * The journal entry: an annotation that the operator stores before each request with an effect.
 *
 * The entry survives crashes, lost responses and backups. With the entry, the operator finds the result of a creation and does not
 * repeat the creation. Users can write annotations, so an entry counts only with the signature of the installation.
 */
import { randomUUID } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { KubeObject } from "../../cluster/types.ts";
import { operationSchema } from "../kind/status-schema.ts";
import type { Identity } from "../kind/account-spec.ts";
import { memoize, memoizeFor } from "../kind/memoize.ts";
import { journalAnnotation } from "../kind/annotations.ts";
import { isSignedText, signedText } from "../kind/signature.ts";

const entrySchema = z.object({
  uid: z.string(),
  namespace: z.string(),
  name: z.string(),
  kind: z.string(),
  /** The real account. The operator does not search a different account. */
  account: z.object({ euuid: z.string().optional(), uid: z.number() }),
  /** Name of the attempt, for conditions and for the annotation that permits a further attempt. */
  attempt: z.string(),
  /** Time of the request, by the clock of the cloud API, RFC 3339. */
  time: z.iso.datetime(),
  /** Start of the first attempt with an unknown outcome, if the entry is for a repetition. */
  since: z.iso.datetime().optional(),
  /** Natural key and create-only fields of the request, or of the last row. The result must show the values. */
  pattern: z.record(z.string(), z.json()),
  /** The installation tag in the request. A row without the tag is not the result. */
  tag: z.string().optional(),
  /** IDs with the natural key from before the first attempt. None of the IDs is the result. */
  known: z.array(z.string()),
  collection: z.string(),
  /** Patterns of abandoned earlier attempts without a response. The cloud can still execute each attempt. */
  former: z.array(z.record(z.string(), z.json())).optional(),
  /** Serial number among the journal entries of the object. A higher number means a later entry. */
  serial: z.int().optional(),
  /** The leadership that stored the entry. */
  epoch: z.string(),
  /** Sent values of the fields with a disruptive change. */
  applied: z.record(z.string(), z.string()).optional(),
  /** ID of the missing cloud object that the creation replaces. */
  previous: z.string().optional(),
  /**
   * The existing cloud object that the creation replaces. The operator deletes the existing cloud object when the new one is in
   * use. `since`: start of the grace period, by the clock of the cloud API.
   */
  retires: z.object({ id: z.string(), origin: z.string().optional(), since: z.iso.datetime().optional() }).optional(),
  /** The last disruptive operation of each action. An operation is open until the record has its end. */
  operations: z.array(operationSchema).optional(),
  /** The cloud object, if its ID is certain: after an adoption, or with a later change. */
  is: z.object({ id: z.string(), origin: z.string().optional(), adopted: z.boolean().optional() }).optional(),
});

export type JournalEntry = z.infer<typeof entrySchema>;

/** The verified content of the annotation. */
export type Statement =
  | { state: "absent" }
  /** Signed for a different name or kind, such as in a copied manifest. Proves nothing about the object. */
  | { state: "copied" }
  /** Unreadable, without a signature of the installation, or for a different account. Proves nothing. */
  | { state: "unproven"; why: string }
  | { state: "proven"; entry: JournalEntry };

/** Reads the journal entry of an object and verifies its signature with the key of the installation. */
export function provenEntry(object: KubeObject, key: KeyObject): Statement {
  const text = object.metadata.annotations?.[journalAnnotation];
  if (text === undefined) return { state: "absent" };
  const entry = signedEntry(text, key);
  if (!entry) return { state: "unproven", why: "is not signed by this installation" };
  const { name, namespace = "" } = object.metadata;
  const own = entry.name === name && entry.namespace === namespace && entry.kind === object.kind;
  return own ? { state: "proven", entry } : { state: "copied" };
}

/** Caches the verification of each text, because each change of an object reads its entry several times. */
const signedEntry = memoizeFor((text: string, key: KeyObject) => (isSignedText(text, key) ? parse(text) : undefined));

/** Returns true if the object stored the entry. An entry from a backup or a saved manifest belongs to an earlier object. */
export function isOfObject({ uid }: Pick<JournalEntry, "uid">, { metadata }: KubeObject): boolean {
  return uid === metadata.uid;
}

/** Returns true if the ID can be the result of an attempt of the object. The entry of an earlier object is no permission. */
export function isOwnAttempt(entry: JournalEntry, object: KubeObject, id: string): boolean {
  return isOfObject(entry, object) && !entry.known.includes(id);
}

/** Returns the journal entry without verification. Only for messages and figures. */
export function statedEntryIn(object: KubeObject): JournalEntry | undefined {
  return parse(object.metadata.annotations?.[journalAnnotation] ?? "");
}

/** Returns the signed text for the annotation. */
export function entryText(entry: JournalEntry, key: KeyObject): string {
  return signedText(JSON.stringify(entry), key);
}

const parse = memoize((text: string): JournalEntry | undefined => {
  try {
    return entrySchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
});

/** Limit of patterns of abandoned attempts in an entry. */
const mostFormer = 4;

/** Returns the patterns of the abandoned attempts and of the current attempt. */
export function givenUp({ former = [], pattern }: JournalEntry): NonNullable<JournalEntry["former"]> {
  const others = former.filter((one) => !isDeepStrictEqual(one, pattern));
  return [...others, pattern].slice(-mostFormer);
}

type Details = Omit<JournalEntry, "uid" | "namespace" | "name" | "kind" | "attempt" | "time" | "account">;

/** Returns a new journal entry. `now`: a time of the cloud API's clock. */
export function newEntry(object: KubeObject, account: Identity, details: Details, now: Date): JournalEntry {
  return {
    uid: object.metadata.uid,
    namespace: object.metadata.namespace ?? "",
    name: object.metadata.name,
    kind: object.kind,
    account,
    attempt: randomUUID().slice(0, 8),
    time: now.toISOString(),
    ...details,
  };
}
