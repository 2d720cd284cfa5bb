import type { JsonObject } from "../../src/api/types.ts";
import { differencesIn } from "../../src/core/kind/fields.ts";
import type { Kind } from "../../src/core/kind/owned.ts";

const known = {
  operations: [],
  scopesHeard: () => [["*"]],
  now: () => new Date("2026-03-01T00:00:00Z"),
  reported: () => ({}),
  notes: {},
  done: [],
  account: { euuid: "0a1b2c3d", uid: 7 },
};

interface Parts {
  name?: string;
  id?: string;
  spec: Record<string, unknown>;
  refs?: Record<string, unknown>;
  wire?: Record<string, unknown>;
  applied?: Record<string, string>;
  adopted?: boolean;
  details?: Record<string, unknown>;
  scopes?: string[];
  done?: unknown[];
  reported?: Record<string, unknown>;
}

/** An object with its cloud object, as the flow hands it to a kind; the row is projected as the flow does it. */
export function live(kind: Kind, { name = "web-1", id = "7", spec, refs = {}, wire, ...more }: Parts): never {
  return {
    name,
    namespace: "shop",
    id,
    spec,
    refs,
    wire: wire && kind.wire.parse(wire),
    ...known,
    ...more,
  } as never;
}

/** The fields that an update would send. */
export function changed(kind: Kind, parts: Parts): string[] {
  const row = kind.wire.parse(parts.wire) as JsonObject;
  return differencesIn(kind, live(kind, parts), row).map(({ field }) => field);
}

/** The calls of one step, as `METHOD path body`. */
export function calls(kind: Kind, step: string, parts: Parts, current?: unknown): string[] {
  const found = kind.steps?.[step]?.calls(live(kind, parts), current as never) ?? [];
  return found.map(({ method, path, body }) => [method, path, body && JSON.stringify(body)].filter(Boolean).join(" "));
}
