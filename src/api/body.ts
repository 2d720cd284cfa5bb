/**
 * Large responses are received one at a time: each takes several times its length until it is parsed, and all that are on
 * their way at once would add up. One that stops half-way keeps the others waiting no longer than for its turn.
 */
import type { Clock } from "../queue/clock.ts";

/** A response is large from so many bytes on: a page of 500 rows of 4 kB is not. */
export const largeBytes = 2 * 1024 * 1024;

/** How often the first is looked at while others wait, milliseconds. */
export const turnMs = 500;

/** What brings less in that time gives its turn to the next, bytes: it may have stopped half-way. */
const leastBytes = 64 * 1024;

/** What brings a response. */
export interface Flow {
  pause: () => void;
  resume: () => void;
}

interface Large {
  flow: Flow;
  clock: Clock;
  /** Since its turn was looked at last, bytes. */
  brought: number;
}

/** The large responses of the process, whose memory it is: the first is received, the others wait. */
const line: Large[] = [];
let cancelTurn: (() => void) | undefined;

/** How many are on their way at this moment. */
export function largeNow(): number {
  return line.length;
}

function enter(large: Large): void {
  line.push(large);
  if (line.length === 1) return;
  large.flow.pause();
  if (line.length === 2) boundTurn();
}

/** It is over, or not wanted any more. */
function leave(large: Large): void {
  const place = line.indexOf(large);
  if (place === -1) return;
  line.splice(place, 1);
  if (place > 0 && line.length > 1) return;
  const [next] = line;
  // Not from within what another one's parser calls.
  if (place === 0 && next) queueMicrotask(() => next.flow.resume());
  boundTurn();
}

function boundTurn(): void {
  cancelTurn?.();
  const [first, second] = line;
  if (first) first.brought = 0;
  cancelTurn = first && second ? first.clock.schedule(turnMs, endTurn) : undefined;
}

/** One that brought little goes to the end of the line, with what has arrived of it. */
function endTurn(): void {
  const [first, next] = line;
  if (first && next && first.brought < leastBytes) {
    line.push(...line.splice(0, 1));
    first.flow.pause();
    next.flow.resume();
  }
  boundTurn();
}

/** The body of one response as it arrives. */
export interface Body {
  /** False where it is longer than so many bytes: nothing of this chunk is kept. */
  add: (flow: Flow, chunk: Uint8Array, maxBytes: number) => boolean;
  text: () => string;
  /** Nothing more arrives. */
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
