/**
 * The journal entry: what is written on an object before anything is created for it (design, section 5).
 *
 * It outlives crashes, lost answers and backups, so that a creation can be found again instead of being repeated.
 * Everybody who may edit an object may write its annotations, so a journal entry counts only with this installation's signature.
 */
import { randomUUID } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { KubeObject } from "../../cluster/types.ts";
import { operationSchema } from "../kind/status-schema.ts";
import type { Identity } from "../kind/account-spec.ts";
import { memoize } from "../kind/memoize.ts";
import { journalAnnotation } from "../kind/annotations.ts";
import { isSignedText, signedText } from "../kind/signature.ts";

const schema = z.object({
  uid: z.string(),
  namespace: z.string(),
  name: z.string(),
  kind: z.string(),
  /** Whose account it is, so that an object that was moved to another account is not searched for there. */
  account: z.object({ euuid: z.string().optional(), uid: z.number() }),
  /** Names this attempt, in conditions and in the annotation that allows another. */
  attempt: z.string(),
  /** By the clock of the cloud API, RFC 3339. */
  time: z.iso.datetime(),
  /** When the first attempt began whose outcome is not known; this attempt repeats it. */
  since: z.iso.datetime().optional(),
  /** Natural key and create-only fields as they were sent, or as the row showed them last: what a row must show to be ours. */
  pattern: z.record(z.string(), z.json()),
  /** The installation tag in the request. A row without the tag is not the result. */
  tag: z.string().optional(),
  /** IDs with the natural key from before the first attempt. They are never ours. */
  known: z.array(z.string()),
  collection: z.string(),
  /** Patterns of earlier attempts that got no response and were given up. The cloud can still execute each of them. */
  former: z.array(z.record(z.string(), z.json())).optional(),
  /** How many journal entries this object has had: what has a higher one was stored later. */
  serial: z.int().optional(),
  /** The leadership that wrote it. */
  epoch: z.string(),
  /** The values sent of fields whose change disrupts. */
  applied: z.record(z.string(), z.string()).optional(),
  /** The id that this creation replaces, whose cloud object is missing. */
  previous: z.string().optional(),
  /** The cloud object that it replaces while that still exists: it is deleted once the new one is in use. */
  retires: z.object({ id: z.string(), origin: z.string().optional() }).optional(),
  /** Disruptive operations as they were sent, the last of each action: one that the status does not know to be over is open. */
  operations: z.array(operationSchema).optional(),
  /** The cloud object that is meant, where that is certain: adopted, or created and changed since. */
  is: z.object({ id: z.string(), origin: z.string().optional(), adopted: z.boolean().optional() }).optional(),
});

export type JournalEntry = z.infer<typeof schema>;

/** What the annotation of an object is worth. */
export type Statement =
  | { state: "absent" }
  /** Signed for an object of another name or kind: a copied manifest, which says nothing of this one. */
  | { state: "copied" }
  /** It cannot be read, is not signed by this installation, or is of another account: it proves nothing here. */
  | { state: "unproven"; why: string }
  | { state: "proven"; entry: JournalEntry };

/** Reads the journal entry on an object and proves its signature by the installation's key. */
export function provenEntry(object: KubeObject, key: KeyObject): Statement {
  const text = object.metadata.annotations?.[journalAnnotation];
  if (text === undefined) return { state: "absent" };
  const entry = signedEntry(text, key);
  if (!entry) return { state: "unproven", why: "is not signed by this installation" };
  const { name, namespace = "" } = object.metadata;
  const own = entry.name === name && entry.namespace === namespace && entry.kind === object.kind;
  return own ? { state: "proven", entry } : { state: "copied" };
}

const readersByKey = new WeakMap<KeyObject, (text: string) => JournalEntry | undefined>();

/** Each change of an object reads its journal entry several times: a text is proven once. */
function signedEntry(text: string, key: KeyObject): JournalEntry | undefined {
  const read = readersByKey.get(key) ?? memoize((one: string) => (isSignedText(one, key) ? parse(one) : undefined));
  readersByKey.set(key, read);
  return read(text);
}

/** The journal entry that an object states, proven or not: for messages and figures alone. */
export function statedEntryIn(object: KubeObject): JournalEntry | undefined {
  return parse(object.metadata.annotations?.[journalAnnotation] ?? "");
}

/** The text of the annotation. */
export function entryText(entry: JournalEntry, key: KeyObject): string {
  return signedText(JSON.stringify(entry), key);
}

const parse = memoize((text: string): JournalEntry | undefined => {
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
});

/** Most patterns of former attempts in an entry. */
const mostFormer = 4;

/** Returns the patterns of the attempts that were given up, with the pattern of this attempt. */
export function givenUp({ former = [], pattern }: JournalEntry): NonNullable<JournalEntry["former"]> {
  const others = former.filter((one) => !isDeepStrictEqual(one, pattern));
  return [...others, pattern].slice(-mostFormer);
}

type Details = Omit<JournalEntry, "uid" | "namespace" | "name" | "kind" | "attempt" | "time" | "account">;

/** A fresh journal entry for this object. `now` is a time of the cloud API's clock. */
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
