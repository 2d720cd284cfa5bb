import { Counter } from "@prometheus-io/client";
import type { Registry } from "@prometheus-io/client";

/** Returns the options that every type of metric shares. */
export type Named = (name: string, help: string) => { name: string; help: string; registers: Registry[] };

export function counterOf<T extends string>(named: Named, name: string, help: string, labelNames: T[]): Counter<T> {
  return new Counter({ ...named(name, help), labelNames });
}
