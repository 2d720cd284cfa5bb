/**
 * Large responses are received one at a time: each takes several times its length until it is parsed, and all that are on
 * their way at once would add up.
 */

/** A response is large from so many bytes on: a page of 500 rows of 4 kB is not. */
export const largeBytes = 2 * 1024 * 1024;

/** What brings a response. */
export interface Flow {
  pause: () => void;
  resume: () => void;
}

/** The large responses of the process, whose memory it is: the first is received, the others wait. */
const line: Flow[] = [];

function enter(flow: Flow): void {
  line.push(flow);
  if (line[0] !== flow) flow.pause();
}

/** It is over, or not wanted any more. */
function leave(flow: Flow): void {
  const place = line.indexOf(flow);
  if (place === -1) return;
  line.splice(place, 1);
  const [next] = line;
  // Not from within what another one's parser calls.
  if (place === 0 && next) queueMicrotask(() => next.resume());
}

/** The body of one response as it arrives. */
export interface Body {
  /** False where it is longer than so many bytes: nothing of this chunk is kept. */
  add: (flow: Flow, chunk: Uint8Array, maxBytes: number) => boolean;
  text: () => string;
  /** Nothing more arrives. */
  end: () => void;
}

export function createBody(): Body {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let entered: Flow | undefined;
  return {
    add(flow, chunk, maxBytes) {
      size += chunk.byteLength;
      if (size > maxBytes) return false;
      chunks.push(chunk);
      if (size > largeBytes && !entered) enter((entered = flow));
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
