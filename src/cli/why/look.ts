/** Reads of an explanation: objects, keys of Secrets, and events. A user without a permission gets a shorter explanation. */
import { configMaps } from "../../cluster/config-maps.ts";
import { events } from "../../cluster/event-series.ts";
import { secrets } from "../../cluster/secrets.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { isKubeError } from "../../core/kind/outcome.ts";
import { keyOfObject, resourceOf } from "../../core/kind/resource.ts";
import { textOf } from "../failure.ts";
import { namedKinds } from "../objects.ts";
import type { NamedKind } from "../objects.ts";
import type { Session } from "../session.ts";

/** `hidden`: the user may not read it. */
export type Keys = ReadonlySet<string> | "absent" | "hidden";

export interface Noted {
  time: string;
  type: string;
  reason: string;
  note: string;
}

export interface Look {
  object: (kind: string, namespace: string, name: string) => Promise<KubeObject | "absent" | "hidden">;
  /** Returns the objects of a kind in a namespace; empty without permission. */
  objects: (kind: NamedKind, namespace: string) => Promise<KubeObject[]>;
  /** Returns the names of the keys with a value. Never returns a value. */
  keys: (from: "Secret" | "ConfigMap", namespace: string, name: string) => Promise<Keys>;
  /** Asks the cloud API of a CloudAccount, `namespace/name`. `hidden`: the user may not read the token. */
  cloud: (account: string) => Promise<{ answers: true } | { answers: false; why: string } | "hidden">;
  /** Returns the last events of an object, the newest first; empty without permission. */
  events: (object: KubeObject, most: number) => Promise<Noted[]>;
}

export function createLook(session: Pick<Session, "cluster" | "accountOf">): Look {
  const { kube, objects } = session.cluster();
  const known = new Map<string, Promise<KubeObject | "absent" | "hidden">>();
  return {
    object(kind, namespace, name) {
      const key = keyOfObject({ kind, metadata: { namespace, name } } as KubeObject);
      const of = namedKinds.find((one) => one.kind === kind);
      const read = async () => (of && (await kube.get(resourceOf(of), { namespace, name }))) ?? "absent";
      const found = known.get(key) ?? unlessForbidden(read(), "hidden");
      known.set(key, found);
      return found;
    },
    objects: (kind, namespace) => unlessForbidden(objects(kind, namespace), []),
    async keys(from, namespace, name) {
      const resource = from === "Secret" ? secrets : configMaps;
      const found = await unlessForbidden(kube.get(resource, { namespace, name }), "hidden");
      if (found === undefined) return "absent";
      if (found === "hidden") return found;
      const { data = {}, binaryData = {} } = found as Partial<Record<"data" | "binaryData", Record<string, string>>>;
      const values = [...Object.entries(data), ...Object.entries(binaryData)];
      return new Set(values.flatMap(([key, value]) => (value === "" ? [] : [key])));
    },
    async cloud(name) {
      const account = await session.accountOf(name).catch(() => "hidden" as const);
      if (account === "hidden") return account;
      try {
        await account.reader.get("/profile");
        return { answers: true };
      } catch (error) {
        return { answers: false, why: textOf(error) };
      }
    },
    async events({ metadata }, most) {
      const fields = { "regarding.uid": metadata.uid };
      const found = await unlessForbidden(kube.list(events, { namespace: metadata.namespace, fields }), []);
      return found
        .map(notedOf)
        .toSorted((a, b) => b.time.localeCompare(a.time))
        .slice(0, most);
    },
  };
}

interface EventBody {
  eventTime?: string | null;
  series?: { lastObservedTime: string } | null;
  type?: string;
  reason?: string;
  note?: string;
}

function notedOf(object: KubeObject): Noted {
  const { eventTime, series, type = "", reason = "", note = "" } = object as KubeObject & EventBody;
  const time = series?.lastObservedTime ?? eventTime ?? object.metadata.creationTimestamp;
  return { time, type, reason, note };
}

async function unlessForbidden<T, O>(read: Promise<T>, otherwise: O): Promise<T | O> {
  try {
    return await read;
  } catch (error) {
    if (isKubeError(error) && error.status === 403) return otherwise;
    throw error;
  }
}
