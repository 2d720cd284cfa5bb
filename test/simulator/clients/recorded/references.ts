/**
 * The IDs of a recording and their counterparts in the simulator. IDs are learned from pairs of responses: where both have a
 * number, or a text that contains the number, in the same field.
 */
export class References {
  readonly #ids = new Map<string, string>();

  /** Learns from a recorded response and the simulator's response to the same request. */
  learn(recorded: unknown, simulated: unknown, name = ""): void {
    if (Array.isArray(recorded) && Array.isArray(simulated)) return this.#learnItems(recorded, simulated, name);
    if (isObject(recorded) && isObject(simulated)) {
      for (const [key, value] of Object.entries(recorded)) this.learn(value, simulated[key], key);
      return;
    }
    if (!/(^|_)id$/.test(name)) return;
    const [before, now] = [/\d+$/.exec(String(recorded))?.[0], /\d+$/.exec(String(simulated))?.[0]];
    if (before !== undefined && now !== undefined && Number(before) >= LEAST) this.set(before, now);
  }

  set(recorded: string | number, simulated: string | number): void {
    this.#ids.set(String(recorded), String(simulated));
  }

  has(recorded: string | number): boolean {
    return this.#ids.has(String(recorded));
  }

  /** The simulator's ID, or the recorded ID if no counterpart is known. */
  of(recorded: string | number): string {
    return this.#ids.get(String(recorded)) ?? String(recorded);
  }

  /** A path with the simulator's IDs. */
  inPath(path: string): string {
    return path.replaceAll(/(?<=\/|%2F)\d{4,}(?=\/|$)/g, (digits) => this.of(digits));
  }

  /** A body or a filter with the simulator's IDs. */
  inValue(value: unknown): unknown {
    if (typeof value === "number") return this.has(value) ? Number(this.of(value)) : value;
    if (typeof value === "string")
      return value.replace(/^private\/(\d+)$/, (_, digits: string) => `private/${this.of(digits)}`);
    if (Array.isArray(value)) return value.map((item) => this.inValue(item));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, this.inValue(inner)]));
  }

  #learnItems(recorded: unknown[], simulated: unknown[], name: string): void {
    const free = [...simulated];
    for (const item of recorded) {
      const same = (field: string) =>
        free.findIndex(
          (each) => isObject(item) && isObject(each) && item[field] !== undefined && each[field] === item[field],
        );
      const index = [same("label"), same("status"), 0].find((each) => each >= 0) ?? 0;
      this.learn(item, free.splice(index, 1)[0], name);
    }
  }
}

/** Smaller numbers are no IDs of the service. */
const LEAST = 1_000;

export function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
