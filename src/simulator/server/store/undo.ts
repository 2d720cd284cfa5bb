import type { Entry, Shelves } from "./shelves.ts";

/** What a transaction has changed in memory, so that a failed one takes back that and nothing else. */
export interface Undo {
  /** A row is about to be stored; `before`: what is there. */
  stores(table: string, account: string, id: string, entry: Entry, before: Entry | undefined): void;
  /** A row is about to be removed. */
  removes(table: string, account: string): void;
  /** A sequence is about to move. */
  counts(name: string): void;
  /** Takes all back, last change first. `reload` reads the rows of one kind and account anew: only so a row gets back its place. */
  run(reload: (table: string, account: string) => void): void;
}

export function createUndo(shelves: Shelves, sequences: Map<string, number>): Undo {
  const steps: (() => void)[] = [];
  const stale = new Map<string, () => [table: string, account: string]>();
  const outdate = (table: string, account: string): void =>
    void stale.set(`${table}/${account}`, () => [table, account]);
  return {
    stores(table, account, id, entry, before) {
      if (before && before.parent !== entry.parent) outdate(table, account);
      else steps.push(() => (before ? shelves.put(table, account, id, before) : shelves.remove(table, account, id)));
    },
    removes: outdate,
    counts(name) {
      const before = sequences.get(name);
      steps.push(() => void (before === undefined ? sequences.delete(name) : sequences.set(name, before)));
    },
    run(reload) {
      for (const step of steps.toReversed()) step();
      for (const place of stale.values()) reload(...place());
    },
  };
}
