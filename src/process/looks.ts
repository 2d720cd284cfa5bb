import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";

/** The look at an object that is under way, wherever in the program its work goes. */
export interface Look {
  kind: string;
  namespace: string;
  name: string;
  reconcileID: string;
  /** Where its trace stands; undefined while none is made. */
  trace?: { traceId: string; spanId: string };
}

export interface Looks {
  /** Runs the work in the name of a key (`Kind/namespace/name`). */
  run<T>(key: string, work: (look: Look) => Promise<T>): Promise<T>;
  /** The look that the caller is part of; undefined outside, and in timers that outlive the look that set them. */
  current(): Look | undefined;
  /** What controller-runtime's log says of a reconciliation; nothing outside of one. */
  fields(): Record<string, unknown>;
}

/** Follows looks through everything asynchronous, so that no other room need know of it. `group`: of all kinds. */
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
