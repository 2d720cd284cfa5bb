/**
 * Receives large responses one after another. Until the parser has finished, a response needs several times its length
 * in memory. A response that stalls blocks the next response only for one turn.
 */
import type { Clock } from "../queue/clock.ts";

/** Bytes from which a response counts as large. A page of 500 rows of 4 kB is smaller. */
export const largeBytes = 2 * 1024 * 1024;

/** Length of a turn while several responses wait, milliseconds. */
export const turnMs = 500;

/** Bytes that a response must receive in a turn to keep its place. A slower response may have stalled. */
const leastBytes = 64 * 1024;

/** The connection that delivers a response. */
export interface Flow {
  pause: () => void;
  resume: () => void;
}

interface Large {
  flow: Flow;
  clock: Clock;
  /** Bytes received in this turn. */
  brought: number;
}

/** Large responses of the process. The process receives the first and pauses the rest. */
const line: Large[] = [];
let cancelTurn: (() => void) | undefined;

/** Returns the number of large responses in flight. */
export function largeNow(): number {
  return line.length;
}

function enter(large: Large): void {
  line.push(large);
  if (line.length === 1) return;
  large.flow.pause();
  if (line.length === 2) boundTurn();
}

function leave(large: Large): void {
  const place = line.indexOf(large);
  if (place === -1) return;
  line.splice(place, 1);
  if (place > 0 && line.length > 1) return;
  const [next] = line;
  // Resumes later: the parser of another response may be calling.
  if (place === 0 && next) queueMicrotask(() => next.flow.resume());
  boundTurn();
}

function boundTurn(): void {
  cancelTurn?.();
  const [first, second] = line;
  if (first) first.brought = 0;
  cancelTurn = first && second ? first.clock.schedule(turnMs, endTurn) : undefined;
}

/** Moves a slow response to the end of the line. The response keeps the chunks received. */
function endTurn(): void {
  const [first, next] = line;
  if (first && next && first.brought < leastBytes) {
    line.push(...line.splice(0, 1));
    first.flow.pause();
    next.flow.resume();
  }
  boundTurn();
}

export interface Body {
  /** Adds a chunk. Returns false, and drops the chunk, if the body is longer than `maxBytes`. */
  add: (flow: Flow, chunk: Uint8Array, maxBytes: number) => boolean;
  text: () => string;
  end: () => void;
}

export function createBody(clock: Clock): Body {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let entered: Large | undefined;
  return {
    add(flow, chunk, maxBytes) {
      size += chunk.byteLength;
      if (size > maxBytes) return false;
      chunks.push(chunk);
      if (entered) entered.brought += chunk.byteLength;
      else if (size > largeBytes) enter((entered = { flow, clock, brought: chunk.byteLength }));
      return true;
    },
    text: () => textOf(chunks),
    end: () => entered && leave(entered),
  };
}

function textOf(chunks: Uint8Array[]): string {
  const [only] = chunks;
  const whole = chunks.length === 1 && only ? only : Buffer.concat(chunks);
  return Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString("utf8");
}
