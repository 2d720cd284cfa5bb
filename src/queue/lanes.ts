import { createHeap, type Heap, type Slotted } from "./heap.ts";
import type { Place } from "./types.ts";

/** An entry of a lane. `lane` is set from `push` until `leave` or `end`. */
export interface Laned extends Slotted {
  key: string;
  lane: Lane<this> | undefined;
}

export interface Lanes<T> {
  size(): number;
  /** Returns true if an entry can be taken now. */
  open(): boolean;
  push(entry: T): void;
  /** Removes a due entry. Ignores every other entry. */
  leave(entry: T): void;
  /** Takes the next entry. The entry counts for its lane until `end`. Returns undefined if no lane is open. */
  next(): T | undefined;
  end(entry: T): void;
}

interface Lane<T> extends Turning {
  name: string;
  tenant: Tenant<T>;
  due: Heap<T & Slotted>;
  active: number;
}

interface Tenant<T> extends Turning {
  name: string;
  lanes: Map<string, Lane<T>>;
  /** Lanes with due entries that are not full. */
  open: Heap<Lane<T>>;
}

/** A lane or a tenant that waits for a turn. */
interface Turning extends Slotted {
  /** The turn counter at the last turn. */
  turn: number;
  /** The lowest rank goes first. */
  rank: number;
}

interface Options<T> {
  laneOf: (key: string) => Place;
  /** Most entries of one lane in handlers at the same time. */
  perLane: number;
  goesFirst: (a: T, b: T) => boolean;
  /** Returns true if a user waits for the entry. */
  urgent: (entry: T) => boolean;
}

/** Most turns that a lane with an urgent entry can skip ahead. No lane is passed over more often. */
const HEAD_START_TURNS = 1_000;

interface State<T extends Laned> extends Options<T> {
  tenants: Map<string, Tenant<T>>;
  /** Tenants with an open lane. */
  open: Heap<Tenant<T>>;
}

/**
 * Creates the lanes. Tenants take turns: the tenant without a turn for the longest time goes first. The lanes of a
 * tenant take turns in the same way, and `goesFirst` orders the entries of a lane. A full lane delays no other lane. A
 * tenant with many keys or many lanes delays another tenant by one turn. Each step costs O(log n). An empty, idle lane
 * is deleted.
 */
export function createLanes<T extends Laned>(options: Options<T>): Lanes<T> {
  const state: State<T> = { ...options, tenants: new Map(), open: createHeap<Tenant<T>>(byRank) };
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
      const lane = state.open.peek()?.open.peek();
      const entry = lane?.due.pop();
      if (lane === undefined || entry === undefined) return undefined;
      turns += 1;
      size -= 1;
      lane.turn = turns;
      lane.tenant.turn = turns;
      lane.active += 1;
      settle(state, lane);
      return entry;
    },
    end(entry) {
      const { lane } = entry;
      if (lane === undefined) return;
      entry.lane = undefined;
      lane.active -= 1;
      // An open lane keeps its rank.
      if (lane.slot < 0) settle(state, lane);
    },
  };
}

function byRank(a: Turning, b: Turning): boolean {
  return a.rank < b.rank;
}

function laneFor<T extends Laned>(state: State<T>, key: string, turn: number): Lane<T> {
  const place = state.laneOf(key);
  const tenant = tenantFor(state, place.tenant, turn);
  const known = tenant.lanes.get(place.lane);
  if (known !== undefined) return known;
  const due = createHeap<T>(state.goesFirst);
  const fresh: Lane<T> = { name: place.lane, tenant, due, active: 0, turn, rank: turn, slot: -1 };
  tenant.lanes.set(place.lane, fresh);
  return fresh;
}

function tenantFor<T extends Laned>({ tenants }: State<T>, name: string, turn: number): Tenant<T> {
  const known = tenants.get(name);
  if (known !== undefined) return known;
  const fresh: Tenant<T> = { name, lanes: new Map(), open: createHeap<Lane<T>>(byRank), turn, rank: turn, slot: -1 };
  tenants.set(name, fresh);
  return fresh;
}

/** Updates the ranks of a lane and of its tenant. Forgets an empty, idle lane. */
function settle<T extends Laned>(state: State<T>, lane: Lane<T>): void {
  const { tenant } = lane;
  const { lanes, open } = tenant;
  open.remove(lane);
  const head = lane.due.peek();
  if (head !== undefined && lane.active < state.perLane) {
    lane.rank = rankOf(state, lane, head);
    open.push(lane);
  } else if (head === undefined && lane.active === 0) {
    lanes.delete(lane.name);
  }
  state.open.remove(tenant);
  const first = open.peek()?.due.peek();
  if (first !== undefined) {
    tenant.rank = rankOf(state, tenant, first);
    state.open.push(tenant);
  } else if (lanes.size === 0) {
    state.tenants.delete(tenant.name);
  }
}

function rankOf<T extends Laned>({ urgent }: State<T>, { turn }: Turning, head: T): number {
  return turn - (urgent(head) ? HEAD_START_TURNS : 0);
}
