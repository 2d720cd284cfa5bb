interface DueTime {
  readonly at: number;
  readonly id: number;
}

/** Due times in a heap, so that adding or dropping one takes logarithmic time. */
interface DueTimes {
  add(due: DueTime): void;
  first(): DueTime | undefined;
  drop(): void;
  clear(): void;
}

export function createDueTimes(): DueTimes {
  const heap: DueTime[] = [];
  return {
    add(due) {
      heap.push(due);
      rise(heap, heap.length - 1);
    },
    first: () => heap[0],
    drop() {
      const last = heap.pop();
      if (last === undefined || heap.length === 0) return;
      heap[0] = last;
      sink(heap, 0);
    },
    clear() {
      heap.length = 0;
    },
  };
}

function rise(heap: DueTime[], from: number): void {
  let index = from;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (!swapIfLess(heap, index, parent)) return;
    index = parent;
  }
}

function sink(heap: DueTime[], from: number): void {
  let index = from;
  for (;;) {
    const left = 2 * index + 1;
    const least = isLess(heap[left + 1], heap[left]) ? left + 1 : left;
    if (!swapIfLess(heap, least, index)) return;
    index = least;
  }
}

function swapIfLess(heap: DueTime[], child: number, parent: number): boolean {
  const [a, b] = [heap[child], heap[parent]];
  if (a === undefined || b === undefined || !isLess(a, b)) return false;
  heap[child] = b;
  heap[parent] = a;
  return true;
}

/** Equal times keep the order of planning. */
function isLess(a: DueTime | undefined, b: DueTime | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.at < b.at || (a.at === b.at && a.id < b.id);
}
