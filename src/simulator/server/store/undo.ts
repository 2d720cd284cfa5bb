import type { Shelved, Shelves } from "./shelves.ts";

/** Reverts the changes of a failed transaction in memory. */
export interface Undo {
  /** Records a row before a change. `before` is the stored row. */
  changes(table: string, account: string, id: string, before: Shelved | undefined): void;
  /** Records a sequence before a change. */
  counts(name: string): void;
  /** Reverts all changes in reverse order. A removed row returns to its old position. */
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
