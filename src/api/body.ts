/**
 * Large responses are received one at a time: each takes several times its length until it is parsed, and all that are on
 * their way at once would add up.
 */

/** A response is large from so many bytes on: a page of 500 rows of 4 kB is not. */
export const largeBytes = 2 * 1024 * 1024;

const atOnce = 1;

interface Turn {
  /** It is over, or not wanted any more. */
  end: () => void;
}

interface Turns {
  /** Asks for a turn. Where none is free, `pause` is called at once, and `resume` when it has come. */
  take: (flow: Flow) => Turn;
}

/** What brings a response. */
export interface Flow {
  pause: () => void;
  resume: () => void;
}

function createTurns(count: number): Turns {
  let taken = 0;
  const waiting = new Set<() => void>();
  const next = (): void => {
    const [first] = waiting;
    if (!first || taken >= count) return;
    waiting.delete(first);
    first();
  };
  return {
    take(flow) {
      let holds = false;
      const begin = (): void => {
        holds = true;
        taken += 1;
      };
      const begun = (): void => {
        begin();
        // Not from within what another one's parser calls.
        queueMicrotask(() => flow.resume());
      };
      if (taken < count) begin();
      else {
        waiting.add(begun);
        flow.pause();
      }
      return {
        end() {
          waiting.delete(begun);
          if (holds) taken -= 1;
          holds = false;
          next();
        },
      };
    },
  };
}

/** Of the process, whose memory it is. */
const largeResponses = createTurns(atOnce);

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
  let turn: Turn | undefined;
  return {
    add(flow, chunk, maxBytes) {
      size += chunk.byteLength;
      if (size > maxBytes) return false;
      chunks.push(chunk);
      if (size > largeBytes) turn ??= largeResponses.take(flow);
      return true;
    },
    text: () => textOf(chunks),
    end: () => turn?.end(),
  };
}

function textOf(chunks: Uint8Array[]): string {
  const [only] = chunks;
  const whole = chunks.length === 1 && only ? only : Buffer.concat(chunks);
  return Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength).toString("utf8");
}
