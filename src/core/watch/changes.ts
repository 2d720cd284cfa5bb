/**
 * Recent changes, and objects that wait for a change.
 *
 * A subject is a text: the key of a custom resource, a cloud object (`cloudKey`), or a name that several kinds share, such as a host.
 * Two accounts can have cloud objects with equal IDs. The index does not compare accounts, so a wait can end too early.
 */
import type { Clock } from "../../queue/clock.ts";
import { times } from "../kind/times.ts";

/** A change that the operator sent for an object. */
export interface Change {
  /** The custom resource behind the change. */
  key: string;
  /** The real account; see `realAccountOf`. */
  account: string;
  subjects: readonly string[];
  /** Clock milliseconds. */
  at: number;
}

/** Recent changes of a process. */
export interface Changes {
  /** Remembers a change for a minute, and wakes the objects that wait for a subject of the change. */
  note: (change: Omit<Change, "at">) => void;
  /** Returns the changes of the last minute, the oldest first. */
  recent: () => readonly Change[];
  /** Replaces the subjects that an object waits for; an empty list ends the wait. */
  await: (key: string, subjects: readonly string[]) => void;
  /** Returns true if an object waits for at least a subject of the list. */
  awaits: (key: string, subjects: readonly string[]) => boolean;
  /** Returns true if an object waits for the subject. */
  isAwaited: (subject: string) => boolean;
  /** Wakes the objects that wait for the subject. */
  touch: (subject: string) => void;
  /** Replaces the shared names of an object. */
  share: (key: string, names: readonly string[]) => void;
  /** Returns the shared names of an object. */
  namesOf: (key: string) => readonly string[];
  /** Returns the keys of the objects that share a name. */
  sharing: (name: string) => readonly string[];
  /** Forgets a deleted object. */
  forget: (key: string) => void;
}

/** Limit of remembered changes. The creation of many objects causes thousands of changes in a minute. */
const mostChanges = 2_000;

/** Creates the index. `wake` receives the key of an object whose wait can be over. */
export function createChanges(clock: Pick<Clock, "now">, wake: (key: string) => void): Changes {
  let changes: Change[] = [];
  const waiting = createIndex();
  const shared = createIndex();

  const recent = (): readonly Change[] => {
    const since = clock.now() - times.quiet;
    if ((changes[0]?.at ?? since) < since || changes.length > mostChanges)
      changes = changes.slice(-mostChanges).filter(({ at }) => at >= since);
    return changes;
  };

  const wakeAll = (subjects: readonly string[], but?: string): void => {
    const keys = new Set(subjects.flatMap((subject) => waiting.keysOf(subject)));
    for (const key of keys) if (key !== but) wake(key);
  };

  return {
    note(change) {
      recent();
      changes.push({ ...change, at: clock.now() });
      wakeAll(change.subjects, change.key);
    },
    recent,
    await: waiting.put,
    awaits: (key, subjects) => waiting.of(key).some((subject) => subjects.includes(subject)),
    isAwaited: (subject) => waiting.keysOf(subject).length > 0,
    touch: (subject) => wakeAll([subject]),
    share: shared.put,
    namesOf: shared.of,
    sharing: shared.keysOf,
    forget(key) {
      waiting.put(key, []);
      shared.put(key, []);
    },
  };
}

/** Texts by key, and keys by text. */
function createIndex() {
  const textsOf = new Map<string, readonly string[]>();
  const keysOf = new Map<string, Set<string>>();

  function remove(text: string, key: string): void {
    const keys = keysOf.get(text);
    keys?.delete(key);
    if (keys?.size === 0) keysOf.delete(text);
  }

  return {
    put: (key: string, texts: readonly string[]): void => {
      for (const text of textsOf.get(key) ?? []) remove(text, key);
      for (const text of texts) keysOf.set(text, (keysOf.get(text) ?? new Set()).add(key));
      if (texts.length > 0) textsOf.set(key, texts);
      else textsOf.delete(key);
    },
    of: (key: string): readonly string[] => textsOf.get(key) ?? [],
    keysOf: (text: string): string[] => [...(keysOf.get(text) ?? [])],
  };
}
