import type { Shelved, Shelves } from "./shelves.ts";

/** Reverts the changes of a failed transaction in memory, and nothing else. */
export interface Undo {
  /** Notes that a row is about to change; `before` is the stored row. */
  changes(table: string, account: string, id: string, before: Shelved | undefined): void;
  /** Notes that a sequence is about to move. */
  counts(name: string): void;
  /** Reverts all changes, the last one first. A removed row returns to its place. */
  run(): void;
}

export function createUndo(shelves: Shelves, sequences: Map<string, number>): Undo {
  const steps: (() => void)[] = [];
  return {
    changes(table, account, id, before) {
      steps.push(() => (before ? shelves.put(table, account, id, before) : shelves.remove(table, account, id)));
    },
    counts(name) {
      const before = sequences.get(name);
      steps.push(() => void (before === undefined ? sequences.delete(name) : sequences.set(name, before)));
    },
    run() {
      for (const step of steps.toReversed()) step();
    },
  };
}
