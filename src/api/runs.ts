import { randomInt } from "node:crypto";
import { foldedReading, folded } from "./reading.ts";
import type { Reading } from "./reading.ts";
import { sliceCost } from "./slices.ts";
import type { Sliced } from "./slices.ts";

/** Length of a run. Two texts rarely share eight characters in a row by chance. They often share fewer characters. */
export const shortestRun = 8;

/** Finds the runs of eight characters that short texts share with long texts. Reads each long text once. */
export interface Runs {
  /** Notes the runs of a long text. The parts have no case and no ignored characters. */
  scan: (parts: Iterable<string>) => Sliced<void>;
  /** Returns, for each short text, a nonzero byte for each character of a shared run. */
  found: () => Sliced<Uint8Array[]>;
}

/** Indexes the runs of short texts: `texts` holds the readings of each. */
export function* createRuns(texts: Reading[][]): Sliced<Runs> {
  const all: Reading[][] = [];
  const filterBits = bitsFor(texts);
  const index: Index = { known: new Map(), filter: new Uint8Array(2 ** filterBits), filterShift: 32 - filterBits };
  for (const readings of texts) {
    const own: Reading[] = [];
    all.push(own);
    for (const reading of readings) {
      const plain = foldedReading(reading);
      own.push(plain);
      add(plain.text, index);
      yield costOfReading * reading.text.length;
    }
  }
  return { scan: (parts) => scan(parts, index), found: () => found(texts.map(lengthOf), all, index) };
}

/** Indexing a character costs as much as hashing 16 characters. */
const costOfReading = 16;

function add(text: string, { known, filter, filterShift }: Index): void {
  for (let at = 0; at + shortestRun <= text.length; at += 1) known.set(text.slice(at, at + shortestRun), false);
  eachHash(text, (hash) => void (filter[hash >>> filterShift] = 1));
}

function* found(lengths: number[], all: Reading[][], { known }: Index): Sliced<Uint8Array[]> {
  const secret = lengths.map((length) => new Uint8Array(length));
  for (const [index, readings] of all.entries())
    for (const { text, from, to } of readings) {
      for (let at = 0; at + shortestRun <= text.length; at += 1)
        if (known.get(text.slice(at, at + shortestRun)) === true)
          secret[index]?.fill(1, from[at], to[at + shortestRun - 1]);
      yield costOfReading * text.length;
    }
  return secret;
}

/** The first reading is the text as it is. */
function lengthOf([plain]: Reading[]): number {
  return plain?.text.length ?? 0;
}

interface Index {
  /** The runs of the short texts. True if a long text has the run. */
  known: Map<string, boolean>;
  /** Nonzero at the hash of each known run. The filter rejects most runs of a long text. */
  filter: Uint8Array;
  /** Bits of a hash that the filter does not use. */
  filterShift: number;
}

/** Bits of an index into the filter: the filter has at least eight places for each run. */
function bitsFor(texts: Reading[][]): number {
  const length = texts.flat().reduce((sum, { text }) => sum + text.length, 1);
  return Math.min(18, Math.ceil(Math.log2(8 * length)));
}

function* scan(parts: Iterable<string>, { known, filter, filterShift }: Index): Sliced<void> {
  let before = "";
  for (const part of parts) {
    const text = before + part;
    eachHash(text, (hash, at) => {
      if (filter[hash >>> filterShift] === 0) return;
      const run = text.slice(at, at + shortestRun);
      if (known.has(run)) known.set(run, true);
    });
    before = text.slice(Math.max(0, text.length - shortestRun + 1));
    yield part.length;
  }
}

/** A random odd number for each process. An attacker cannot write a text whose runs all have equal hashes. */
const base = randomInt(2 ** 31) * 2 + 1;
const lastPower = Array.from({ length: shortestRun }).reduce<number>((power) => Math.imul(power, base), 1);

/** Computes a rolling hash: each step adds a character and removes the oldest character. */
function eachHash(text: string, visit: (hash: number, at: number) => void): void {
  let hash = 0;
  for (let end = 0; end < text.length; end += 1) {
    hash = Math.imul(hash, base) + text.charCodeAt(end) + 1;
    const at = end - shortestRun + 1;
    if (at > 0) hash -= Math.imul(lastPower, text.charCodeAt(at - 1) + 1);
    hash |= 0;
    // The high bits depend on all characters only after a further multiplication.
    if (at >= 0) visit(Math.imul(hash ^ (hash >>> 15), 0x9e_37_79_b1), at);
  }
}

/** Yields the text in parts, without case and without ignored characters. */
export function* foldedParts(text: string): Iterable<string> {
  for (let at = 0; at < text.length;) {
    const end = at + sliceCost;
    // A part never ends inside a surrogate pair.
    const isHalf = (text.charCodeAt(end - 1) & 0xfc_00) === 0xd8_00;
    const next = isHalf ? end + 1 : end;
    yield folded(text.slice(at, next));
    at = next;
  }
}

/** Yields the hex digits of the bytes in parts. */
export function* hexParts(bytes: Uint8Array): Iterable<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < buffer.length; at += sliceCost / 2) yield buffer.toString("hex", at, at + sliceCost / 2);
}

/** Yields the base64 of the bytes in parts, for bytes that follow `shift` other bytes. Leaves out the characters of the other bytes. */
export function* base64Parts(bytes: Uint8Array, shift: 0 | 1 | 2): Iterable<string> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = Buffer.concat([Buffer.alloc(shift), buffer.subarray(0, 3 - shift)]).toString("base64");
  // The first character after the other bytes encodes bits of two bytes.
  yield folded(first.slice(shift === 0 ? 0 : shift + 1));
  const size = (sliceCost / 4) * 3;
  for (let at = 3 - shift; at < buffer.length; at += size) yield folded(buffer.toString("base64", at, at + size));
}
