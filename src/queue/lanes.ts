import { createHeap, type Heap, type Slotted } from "./heap.ts";

/** What stands in a lane. `lane` is set from `push` until `leave` or `end`. */
export interface Laned extends Slotted {
  key: string;
  lane: Lane<this> | undefined;
}

/** The keys that are due, by lane. */
export interface Lanes<T> {
  /** How many are due, in all lanes. */
  size(): number;
  /** Whether some lane has one that may be taken now. */
  open(): boolean;
  push(entry: T): void;
  /** Takes out one that is due; nothing happens to another. */
  leave(entry: T): void;
  /** Takes the one that goes next; it counts for its lane until `end`. Undefined where no lane is open. */
  next(): T | undefined;
  end(entry: T): void;
}

interface Lane<T> extends Slotted {
  name: string;
  due: Heap<T & Slotted>;
  active: number;
  /** Turns of all lanes when it last had one. */
  turn: number;
  /** Among the lanes that have something to do, the lowest goes first. */
  rank: number;
}

interface Options<T> {
  laneOf: (key: string) => string;
  /** How many of one lane are handled at the same time. */
  perLane: number;
  goesFirst: (a: T, b: T) => boolean;
  /** True for what somebody waits for. */
  urgent: (entry: T) => boolean;
}

/** Lanes in which somebody waits go first, but no lane is passed over more often than this. */
const HEAD_START_TURNS = 1_000;

interface State<T extends Laned> extends Options<T> {
  lanes: Map<string, Lane<T>>;
  /** Lanes that have something to do and are not full. */
  open: Heap<Lane<T>>;
}

/**
 * Lanes take turns, the one that had none for the longest first; within a lane `goesFirst` decides. A lane that is full
 * holds up nobody else. Each step costs O(log n); a lane that is empty and idle is forgotten.
 */
export function createLanes<T extends Laned>(options: Options<T>): Lanes<T> {
  const state: State<T> = { ...options, lanes: new Map(), open: createHeap((a, b) => a.rank < b.rank) };
  let turns = 0;
  let size = 0;
  return {
    size: () => size,
    open: () => state.open.size() > 0,
    push(entry) {
      const lane = laneFor(state, entry.key, turns);
      const head = lane.due.peek();
      entry.lane = lane;
      lane.due.push(entry);
      size += 1;
      if (lane.due.peek() !== head) settle(state, lane);
    },
    leave(entry) {
      const { lane } = entry;
      if (lane === undefined || entry.slot < 0) return;
      lane.due.remove(entry);
      entry.lane = undefined;
      size -= 1;
      settle(state, lane);
    },
    next() {
      const lane = state.open.peek();
      const entry = lane?.due.pop();
      if (lane === undefined || entry === undefined) return undefined;
      turns += 1;
      size -= 1;
      lane.turn = turns;
      lane.active += 1;
      settle(state, lane);
      return entry;
    },
    end(entry) {
      const { lane } = entry;
      if (lane === undefined) return;
      entry.lane = undefined;
      lane.active -= 1;
      // One that is open already stays where it is.
      if (lane.slot < 0) settle(state, lane);
    },
  };
}

function laneFor<T extends Laned>({ lanes, laneOf, goesFirst }: State<T>, key: string, turn: number): Lane<T> {
  const name = laneOf(key);
  const known = lanes.get(name);
  if (known !== undefined) return known;
  const fresh: Lane<T> = { name, due: createHeap<T>(goesFirst), active: 0, turn, rank: turn, slot: -1 };
  lanes.set(name, fresh);
  return fresh;
}

/** Puts a lane where it now belongs among those that have something to do. */
function settle<T extends Laned>({ lanes, open, perLane, urgent }: State<T>, lane: Lane<T>): void {
  open.remove(lane);
  const head = lane.due.peek();
  if (head !== undefined && lane.active < perLane) {
    lane.rank = lane.turn - (urgent(head) ? HEAD_START_TURNS : 0);
    open.push(lane);
  } else if (head === undefined && lane.active === 0) {
    lanes.delete(lane.name);
  }
}
