import { Counter } from "@prometheus-io/client";
import type { Registry } from "@prometheus-io/client";

/** The part of a metric's description that all kinds of metric share. */
export type Named = (name: string, help: string) => { name: string; help: string; registers: Registry[] };

/** A counter of this registry. */
export function counterOf<T extends string>(named: Named, name: string, help: string, labelNames: T[]): Counter<T> {
  return new Counter({ ...named(name, help), labelNames });
}
