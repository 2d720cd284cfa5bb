/*
 * Faults that are armed, and how one is played on an exchange.
 * Guarantees: one fault a request, the oldest that matches; draws are the same in every run.
 * Imports the world and the form of errors.
 */
import * as z from "zod";

const matching = {
  /** Name of an operation (operation-names.ts): `POST /compute/instances/{computeId}/boot`. */
  operation: z.string().optional(),
  /** HTTP method; absent: any. */
  method: z.string().optional(),
  /** Path below the version segment; `*` stands for one segment, `**` for the rest. Absent: any. */
  path: z.string().optional(),
  /** How often it is played before it is spent; absent: for ever. */
  times: z.int().min(1).optional(),
  /** Matching requests to let pass first. */
  skip: z.int().min(0).optional(),
  /** Chance that a matching request is hit, by a generator that `seed` starts. */
  probability: z.number().min(0).max(1).optional(),
  seed: z.int().optional(),
};

/** What can be played on a request. */
export const faultSchema = z.discriminatedUnion("kind", [
  /** An error answer instead of the operation. */
  z.object({
    kind: z.literal("status"),
    status: z.int().min(400).max(599),
    reason: z.string().optional(),
    /** The element that the error names. */
    field: z.string().optional(),
    ...matching,
  }),
  /** A gateway's HTML page instead of the operation. */
  z.object({ kind: z.literal("html"), status: z.int().optional(), ...matching }),
  /** 200 with the body `{}` instead of the operation. */
  z.object({ kind: z.literal("empty"), ...matching }),
  /** 429; without `retryAfter` (seconds) there is no such header. */
  z.object({ kind: z.literal("rate-limit"), retryAfter: z.number().optional(), ...matching }),
  /** 503 with `X-Maintenance-Mode` and a `Retry-After` in seconds. */
  z.object({ kind: z.literal("maintenance"), retryAfter: z.number().optional(), ...matching }),
  /** The operation runs after so many milliseconds, and is answered then. */
  z.object({ kind: z.literal("delay"), ms: z.number().min(0), ...matching }),
  /** The answer leaves after so many milliseconds; the operation has run at once. */
  z.object({ kind: z.literal("slow-answer"), ms: z.number().min(0), ...matching }),
  /** The connection breaks and nothing was done. */
  z.object({ kind: z.literal("reset-before"), ...matching }),
  /** The operation is done and the connection breaks. */
  z.object({ kind: z.literal("reset-after"), ...matching }),
  /** The connection breaks at once and the operation is done so many milliseconds later. */
  z.object({ kind: z.literal("late-apply"), ms: z.number().min(0), ...matching }),
  /** The operation is done and half of the answer leaves. */
  z.object({ kind: z.literal("truncate"), ...matching }),
  /** A GET of a list leaves out rows younger than so many seconds. */
  z.object({ kind: z.literal("absent"), seconds: z.number().min(0), ...matching }),
  /** Pages after the first slide by so many rows: positive skips rows, negative repeats them. */
  z.object({ kind: z.literal("shift"), by: z.int(), ...matching }),
]);

export type Fault = z.output<typeof faultSchema>;

interface Armed {
  id: number;
  fault: Fault;
  path: RegExp | undefined;
  seen: number;
  played: number;
  random: () => number;
}

/** The faults that are armed. In memory only: a restarted simulator is a healthy one. */
export class Faults {
  readonly #armed: Armed[] = [];
  #lastId = 0;

  /** Arms a fault; answers its id. The oldest one that matches a request is played, one a request. */
  add(fault: Fault): number {
    const path = fault.path === undefined ? undefined : pathPattern(fault.path);
    const armed = { id: ++this.#lastId, fault, path, seen: 0, played: 0, random: generator(fault.seed ?? 1) };
    this.#armed.push(armed);
    return armed.id;
  }

  remove(id: number): boolean {
    const index = this.#armed.findIndex((armed) => armed.id === id);
    if (index >= 0) this.#armed.splice(index, 1);
    return index >= 0;
  }

  clear(): void {
    this.#armed.length = 0;
  }

  list(): { id: number; fault: Fault; played: number }[] {
    return this.#armed.map(({ id, fault, played }) => ({ id, fault, played }));
  }

  /**
   * The fault to play on this request; counts as played.
   *
   * @param path below the version segment, in the neutral word
   * @param operation the operation's name
   */
  match(method: string, path: string, operation: string): Fault | undefined {
    for (const armed of this.#armed) {
      const { fault } = armed;
      if (fault.operation !== undefined && fault.operation !== operation) continue;
      if (fault.method !== undefined && fault.method !== method) continue;
      if (armed.path && !armed.path.test(path)) continue;
      if (fault.times !== undefined && armed.played >= fault.times) continue;
      armed.seen += 1;
      if (armed.seen <= (fault.skip ?? 0)) continue;
      if (fault.probability !== undefined && armed.random() >= fault.probability) continue;
      armed.played += 1;
      return fault;
    }
    return undefined;
  }
}

/** `/compute/instances/*` → a pattern over whole segments. */
export function pathPattern(path: string): RegExp {
  const parts = path.split(/(\*\*|\*)/).map((part) => {
    if (part === "**") return ".*";
    return part === "*" ? "[^/]+" : part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
  });
  return new RegExp(`^${parts.join("")}/?$`);
}

/** Mulberry32: small, seedable, and the same on every machine. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
