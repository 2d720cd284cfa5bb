/** An entry of a heap. `slot` is the position in the heap, or -1 outside a heap. */
export interface Slotted {
  slot: number;
}

export interface Heap<T extends Slotted> {
  size(): number;
  peek(): T | undefined;
  push(entry: T): void;
  pop(): T | undefined;
  /** Removes an entry from any position. Ignores an entry that is not in the heap. */
  remove(entry: T): void;
}

/**
 * Creates a binary heap whose entries know their position. Moving an entry takes O(log n) and leaves no stale entry.
 */
export function createHeap<T extends Slotted>(before: (a: T, b: T) => boolean): Heap<T> {
  const entries: T[] = [];

  const remove = (entry: T): void => {
    const { slot } = entry;
    if (slot < 0 || entries[slot] !== entry) return;
    entry.slot = -1;
    const last = entries.pop();
    if (last === undefined || last === entry) return;
    sink(entries, before, float(entries, before, place(entries, last, slot)));
  };

  return {
    size: () => entries.length,
    peek: () => entries[0],
    push(entry) {
      float(entries, before, place(entries, entry, entries.length));
    },
    pop() {
      const first = entries[0];
      if (first !== undefined) remove(first);
      return first;
    },
    remove,
  };
}

function place<T extends Slotted>(entries: T[], entry: T, slot: number): T {
  entries[slot] = entry;
  entry.slot = slot;
  return entry;
}

function float<T extends Slotted>(entries: T[], before: (a: T, b: T) => boolean, entry: T): T {
  let slot = entry.slot;
  while (slot > 0) {
    const above = (slot - 1) >> 1;
    const parent = entries[above];
    if (parent === undefined || !before(entry, parent)) break;
    place(entries, parent, slot);
    slot = above;
  }
  return place(entries, entry, slot);
}

function sink<T extends Slotted>(entries: T[], before: (a: T, b: T) => boolean, entry: T): T {
  let slot = entry.slot;
  for (;;) {
    const child = firstChild(entries, before, slot);
    const below = entries[child];
    if (below === undefined || !before(below, entry)) break;
    place(entries, below, slot);
    slot = child;
  }
  return place(entries, entry, slot);
}

function firstChild<T extends Slotted>(entries: T[], before: (a: T, b: T) => boolean, slot: number): number {
  const left = 2 * slot + 1;
  const a = entries[left];
  const b = entries[left + 1];
  return a !== undefined && b !== undefined && before(b, a) ? left + 1 : left;
}
