import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";

/** A running reconcile of an object. */
export interface Look {
  kind: string;
  namespace: string;
  name: string;
  reconcileID: string;
  /** Position in the trace; undefined without traces. */
  trace?: { traceId: string; spanId: string };
}

export interface Looks {
  /** Runs the work as the reconcile of a key (`Kind/namespace/name`). */
  run<T>(key: string, work: (look: Look) => Promise<T>): Promise<T>;
  /** Returns the reconcile of the caller, or undefined outside a reconcile and in a timer that fires later. */
  current(): Look | undefined;
  /** Returns the log fields of controller-runtime for a reconcile, or no fields outside. */
  fields(): Record<string, unknown>;
}

/** Tracks reconciles through asynchronous calls, so that no other room needs a parameter. `group`: the API group. */
export function createLooks(group: string): Looks {
  const storage = new AsyncLocalStorage<{ look: Look | undefined }>();
  const current = (): Look | undefined => storage.getStore()?.look;
  return {
    async run(key, work) {
      const [kind = "", namespace = "", name = ""] = key.split("/");
      const look: Look = { kind, namespace, name, reconcileID: randomUUID() };
      const held: { look: Look | undefined } = { look };
      try {
        return await storage.run(held, () => work(look));
      } finally {
        held.look = undefined;
      }
    },
    current,
    fields() {
      const look = current();
      return look === undefined ? {} : fieldsOf(look, group);
    },
  };
}

function fieldsOf({ kind, namespace, name, reconcileID, trace }: Look, group: string): Record<string, unknown> {
  return {
    controller: kind.toLowerCase(),
    controllerGroup: group,
    controllerKind: kind,
    [kind]: { name, namespace },
    namespace,
    name,
    reconcileID,
    ...(trace && { trace_id: trace.traceId, span_id: trace.spanId }),
  };
}
