/** Options for catalogs as objects. Catalogs are cluster-scoped: an operator with listed namespaces has no catalogs. */
import type { Catalogs } from "../core/model/environment.ts";
import type { Mirror } from "../core/kind/mirror.ts";
import { enabledKinds } from "./enabled.ts";
import type { Connecting, Endpoint } from "./cloud.ts";

export interface CatalogOptions {
  /** Milliseconds between two lists of a catalog. */
  everyMs: number;
}

interface Options {
  catalogs?: CatalogOptions | undefined;
  /** Namespaces to manage; undefined for the whole cluster. */
  namespaces?: string[] | undefined;
  endpoints: Endpoint[];
  disabledKinds?: readonly string[] | undefined;
}

/** Returns the catalog kinds. Returns none without an endpoint `default`, which the catalogs show. */
export function mirrorsOf({ catalogs, namespaces, endpoints, disabledKinds }: Options): Mirror[] {
  const shown = catalogs && namespaces === undefined && endpoints.some(({ name }) => name === "default");
  return shown ? enabledKinds(disabledKinds).mirrors : [];
}

export function catalogsOf(options: Options, { anybody }: Pick<Connecting, "anybody">): Catalogs | undefined {
  const kept = mirrorsOf(options);
  if (!options.catalogs || kept.length === 0) return undefined;
  return {
    mirrors: new Map(kept.map((mirror) => [mirror.kind, mirror])),
    anybody: anybody("default"),
    everyMs: options.catalogs.everyMs,
    known: new Map(),
    waiting: new Set(),
    failing: new Map(),
  };
}
