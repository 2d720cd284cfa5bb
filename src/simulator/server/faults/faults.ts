/*
 * Stores armed faults and applies a fault to a request.
 * Guarantees: a request has at most one fault, the oldest match. Random choices are equal in every run.
 * Imports the world and the form of errors.
 */
import * as z from "zod";

const matching = {
  /** Name of an operation (operation-names.ts), such as `POST /compute/instances/{computeId}/boot`. */
  operation: z.string().optional(),
  /** HTTP method. Defaults to any method. */
  method: z.string().optional(),
  /** Path without the version segment. `*` matches one segment, `**` matches the rest. Defaults to any path. */
  path: z.string().optional(),
  /** Number of requests that the fault applies to. Defaults to unlimited. */
  times: z.int().min(1).optional(),
  /** Number of matching requests to skip first. */
  skip: z.int().min(0).optional(),
  /** Probability that the fault applies to a matching request. `seed` starts the generator. */
  probability: z.number().min(0).max(1).optional(),
  seed: z.int().optional(),
};

/** Faults that a request can have. */
export const faultSchema = z.discriminatedUnion("kind", [
  /** Returns an error without running the operation. */
  z.object({
    kind: z.literal("status"),
    status: z.int().min(400).max(599),
    reason: z.string().optional(),
    /** Field of the error. */
    field: z.string().optional(),
    ...matching,
  }),
  /** Returns the HTML page of a gateway without running the operation. */
  z.object({ kind: z.literal("html"), status: z.int().optional(), ...matching }),
  /** Returns 200 with the body `{}` without running the operation. */
  z.object({ kind: z.literal("empty"), ...matching }),
  /** Returns 429. `retryAfter` (seconds) sets the `Retry-After` header. */
  z.object({ kind: z.literal("rate-limit"), retryAfter: z.number().optional(), ...matching }),
  /** Returns 503 with `X-Maintenance-Mode` and a `Retry-After` in seconds. */
  z.object({ kind: z.literal("maintenance"), retryAfter: z.number().optional(), ...matching }),
  /** Waits `ms`, then runs the operation and responds. */
  z.object({ kind: z.literal("delay"), ms: z.number().min(0), ...matching }),
  /** Runs the operation immediately, and responds after `ms`. */
  z.object({ kind: z.literal("slow-answer"), ms: z.number().min(0), ...matching }),
  /** Breaks the connection without running the operation. */
  z.object({ kind: z.literal("reset-before"), ...matching }),
  /** Runs the operation and breaks the connection. */
  z.object({ kind: z.literal("reset-after"), ...matching }),
  /** Breaks the connection immediately, and runs the operation after `ms`. */
  z.object({ kind: z.literal("late-apply"), ms: z.number().min(0), ...matching }),
  /** Runs the operation and sends half of the response. */
  z.object({ kind: z.literal("truncate"), ...matching }),
  /** Omits rows newer than `seconds` from a list. */
  z.object({ kind: z.literal("absent"), seconds: z.number().min(0), ...matching }),
  /** Shifts pages after the first by rows. A positive number skips rows, a negative number repeats rows. */
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

/** Stores the armed faults in memory. A restart removes all faults. */
export class Faults {
  readonly #armed: Armed[] = [];
  #lastId = 0;

  /** Arms a fault. Returns the ID. The oldest match applies to a request. */
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
   * Returns the fault that applies to this request, and counts the use.
   *
   * @param path without the version segment, in the neutral word
   * @param operation name of the operation
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

/** Returns a pattern over whole segments, for example for `/compute/instances/*`. */
export function pathPattern(path: string): RegExp {
  const parts = path.split(/(\*\*|\*)/).map((part) => {
    if (part === "**") return ".*";
    return part === "*" ? "[^/]+" : part.replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`);
  });
  return new RegExp(`^${parts.join("")}/?$`);
}

/** Returns a Mulberry32 generator: small, seedable, and equal on every machine. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
