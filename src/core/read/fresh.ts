/*
 * Layer `core/read`: reads of the API server and of the cloud, before a decision. The layer changes nothing. It imports `core/model` and
 * lower layers. Fresh reads: one read of the API server serves every request of a tenth of a second.
 */
import type { KubeClient, KubeObject, ListOptions, ObjectRef, Resource } from "../../cluster/types.ts";
import type { Clock } from "../../queue/clock.ts";
import { times } from "../kind/times.ts";

export interface Answer<Value> {
  value: Value;
  at: number;
}

/** Limits for earlier reads that may serve a request, clock milliseconds. */
export interface Since {
  /** The earliest time of an answer; `Infinity` excludes answered reads. */
  answered: number;
  /** The earliest start of a read in flight. */
  begun: number;
}

/** Reads of the API server for many requests. Every method throws `KubeError`. */
export interface FreshReads {
  get: (resource: Resource, ref: ObjectRef, since: Since) => Promise<Answer<KubeObject | undefined>>;
  getMetadata: (resource: Resource, ref: ObjectRef, since: Since) => Promise<Answer<KubeObject | undefined>>;
  list: (resource: Resource, options: ListOptions, since: Since) => Promise<Answer<KubeObject[]>>;
  share: <Value>(name: string, since: Since, read: () => Promise<Value>) => Promise<Answer<Value>>;
}

/** Accepts reads of the last tenth of a second. */
export function recentReads(clock: Clock): Since {
  const since = clock.now() - times.fresh;
  return { answered: since, begun: since };
}

/** Accepts reads in flight and no earlier answer. A request with several facts reads them in parallel. */
export function anew(clock: Clock): Since {
  return { answered: Infinity, begun: clock.now() - times.fresh };
}

interface SharedRead {
  /** The time of the answer, or of the start while in flight. */
  at: number;
  answer: Promise<unknown>;
  isAnswered: boolean;
}

export function createFreshReads({ kube, clock }: { kube: KubeClient; clock: Clock }): FreshReads {
  const reads = new Map<string, SharedRead>();
  let isSweeping = false;

  function sweep(): void {
    isSweeping = false;
    for (const [name, { at, isAnswered }] of reads)
      if (isAnswered && clock.now() - at >= times.soon) reads.delete(name);
    if (reads.size > 0) planSweep();
  }

  function planSweep(): void {
    if (isSweeping) return;
    isSweeping = true;
    clock.schedule(times.soon, sweep);
  }

  function begin(name: string, ask: () => Promise<unknown>): SharedRead {
    const read: SharedRead = { at: clock.now(), answer: ask(), isAnswered: false };
    reads.set(name, read);
    planSweep();
    read.answer.then(
      () => Object.assign(read, { at: clock.now(), isAnswered: true }),
      // The waiting requests get the error. The next request reads again.
      () => reads.get(name) === read && reads.delete(name),
    );
    return read;
  }

  async function share<Value>(name: string, since: Since, ask: () => Promise<Value>): Promise<Answer<Value>> {
    const known = reads.get(name);
    const isShared = known && known.at >= (known.isAnswered ? since.answered : since.begun);
    const read = isShared ? known : begin(name, ask);
    const value = (await read.answer) as Value;
    return { value, at: read.at };
  }

  const nameOf = (verb: string, { group, plural }: Resource, ...rest: string[]): string =>
    [verb, group, plural, ...rest].join(" ");
  const refName = ({ namespace = "", name }: ObjectRef): string => `${namespace}/${name}`;
  return {
    get: (resource, ref, since) => share(nameOf("get", resource, refName(ref)), since, () => kube.get(resource, ref)),
    getMetadata: (resource, ref, since) =>
      share(nameOf("metadata", resource, refName(ref)), since, () => kube.get(resource, ref, { metadataOnly: true })),
    list: (resource, options, since) =>
      share(nameOf("list", resource, JSON.stringify(options)), since, () => kube.list(resource, options)),
    share,
  };
}
