/**
 * A suffix automaton of one short text. The automaton finds the places of many forms in the short text. The time grows
 * with the sum of all lengths. A search for one form after another would take the product of the lengths.
 */
import type { Sliced } from "./slices.ts";
import { sliceCost } from "./slices.ts";

/** Marks the places of a text that equal a form. */
export interface Automaton {
  /** Notes all places of `form`. Stops at the first character that does not fit. Returns the number of characters read. */
  find: (form: string) => number;
  /** Returns, for each character of the text, the length of the longest form that ends at the character, or 0. */
  longest: () => Int32Array;
}

/** Builds the automaton of a text of UTF-16 units. `units` may hold numbers above 0xFFFF, which forms never contain. */
export function* createAutomaton(units: Int32Array): Sliced<Automaton> {
  const states = createStates(units.length);
  const ends = new Int32Array(units.length);
  for (const [at, unit] of units.entries()) {
    ends[at] = states.extend(unit);
    if (at % unitsPerSlice === unitsPerSlice - 1) yield sliceCost;
  }
  const marks = new Int32Array(states.count());
  return {
    find(form) {
      let state = 0;
      for (let at = 0; at < form.length; at += 1) {
        state = states.next(state, form.charCodeAt(at));
        if (state === none) return at + 1;
      }
      marks[state] = Math.max(marks[state] ?? 0, form.length);
      return form.length;
    },
    longest() {
      // The state of a suffix comes first, because a suffix is shorter.
      for (const state of states.byLength())
        marks[state] = Math.max(marks[state] ?? 0, marks[states.suffix(state)] ?? 0);
      return ends.map((state) => marks[state] ?? 0);
    },
  };
}

/** Adding a unit costs as much as reading 16 characters. */
const unitsPerSlice = sliceCost / 16;

const none = -1;

/**
 * A state represents the parts of the text that end at equal places. The suffix of a state is the longest shorter part
 * with more places. Typed arrays hold all states: objects would take ten times the time and the memory.
 */
function createStates(units: number) {
  const length = new Int32Array(2 * units + 2);
  const suffix = new Int32Array(2 * units + 2).fill(none);
  const edges = createEdges(units);
  let count = 1;
  let last = 0;
  const add = (size: number): number => {
    length[count] = size;
    return count++;
  };
  const of = (array: Int32Array, state: number): number => array[state] as number;
  const extend = (unit: number): number => {
    const added = add(of(length, last) + 1);
    let from = last;
    for (; from !== none && edges.next(from, unit) === none; from = of(suffix, from)) edges.set(from, unit, added);
    last = added;
    suffix[added] = from === none ? 0 : suffixAfter(from, unit);
    return added;
  };
  const suffixAfter = (from: number, unit: number): number => {
    const reached = edges.next(from, unit);
    if (of(length, from) + 1 === of(length, reached)) return reached;
    // The shorter parts of `reached` now end at more places, and need a separate state.
    const split = add(of(length, from) + 1);
    edges.copy(reached, split);
    suffix[split] = of(suffix, reached);
    suffix[reached] = split;
    for (let one = from; one !== none && edges.next(one, unit) === reached; one = of(suffix, one))
      edges.set(one, unit, split);
    return split;
  };
  return {
    extend,
    next: (state: number, unit: number) => edges.next(state, unit),
    count: () => count,
    suffix: (state: number) => of(suffix, state),
    byLength: () => sortedBy(length.subarray(0, count)),
  };
}

/** Sorts the indices of `sizes` by counting, smallest size first. No size may exceed the number of sizes. */
function sortedBy(sizes: Int32Array): Int32Array {
  const place = new Int32Array(sizes.length + 1);
  for (const size of sizes) place[size + 1] = (place[size + 1] ?? 0) + 1;
  for (let size = 1; size < place.length; size += 1) place[size] = (place[size] ?? 0) + (place[size - 1] ?? 0);
  const sorted = new Int32Array(sizes.length);
  for (const [index, size] of sizes.entries()) {
    const at = place[size] ?? 0;
    sorted[at] = index;
    place[size] = at + 1;
  }
  return sorted;
}

/** Creates the edges between states: a hash table, and a list for each state. A text of n units has at most 3n edges. */
function createEdges(units: number) {
  const size = 3 * units + 4;
  const [from, unit, to, before] = [0, 1, 2, 3].map(() => new Int32Array(size)) as [
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  const newest = new Int32Array(2 * units + 2);
  const table = new Int32Array(2 ** Math.ceil(Math.log2(2 * size)));
  let count = 1;
  const placeOf = (state: number, one: number): number => {
    const hash = Math.imul(state ^ Math.imul(one, 0x85_eb_ca_6b), 0x9e_37_79_b1);
    let place = (hash ^ (hash >>> 15)) & (table.length - 1);
    for (let edge = table[place] as number; edge !== 0; edge = table[place] as number) {
      if (from[edge] === state && unit[edge] === one) return place;
      place = (place + 1) & (table.length - 1);
    }
    return place;
  };
  const set = (state: number, one: number, target: number): void => {
    const place = placeOf(state, one);
    const known = table[place] as number;
    if (known !== 0) return void (to[known] = target);
    table[place] = count;
    from[count] = state;
    unit[count] = one;
    to[count] = target;
    before[count] = newest[state] as number;
    newest[state] = count;
    count += 1;
  };
  return {
    set,
    next(state: number, one: number): number {
      const edge = table[placeOf(state, one)] as number;
      return edge === 0 ? none : (to[edge] as number);
    },
    copy(source: number, target: number): void {
      for (let edge = newest[source] as number; edge !== 0; edge = before[edge] as number)
        set(target, unit[edge] as number, to[edge] as number);
    },
  };
}
