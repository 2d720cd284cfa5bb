import type { Kind } from "../../src/core/define-kind.ts";

interface Parts {
  name?: string;
  id?: string;
  spec: Record<string, unknown>;
  refs?: Record<string, unknown>;
  wire?: Record<string, unknown>;
  applied?: Record<string, string>;
  adopted?: boolean;
}

/** An object with its cloud object, as the flow hands it to a kind; the row is projected as the flow does it. */
export function live(kind: Kind, { name = "web-1", id = "7", spec, refs = {}, wire, ...more }: Parts): never {
  return { name, namespace: "shop", id, spec, refs, wire: wire && kind.wire.parse(wire), ...more } as never;
}

/** The fields that an update would send. */
export function changed(kind: Kind, parts: Parts): string[] {
  const desired = kind.desired(live(kind, parts));
  const observed = kind.observed(kind.wire.parse(parts.wire));
  return Object.keys(observed).filter(
    (field) => field in desired && JSON.stringify(desired[field]) !== JSON.stringify(observed[field]),
  );
}

/** The calls of one step, as `METHOD path body`. */
export function calls(kind: Kind, step: string, parts: Parts, current?: unknown): string[] {
  const found = kind.steps?.[step]?.calls(live(kind, parts), current as never) ?? [];
  return found.map(({ method, path, body }) => [method, path, body && JSON.stringify(body)].filter(Boolean).join(" "));
}
