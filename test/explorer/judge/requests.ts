/** What an operator may send, and how often. */
import type { KubeObject } from "../../../src/cluster/types.ts";
import type { LedgerEntry } from "../../world/dispatcher.ts";
import type { Check } from "../invariants.ts";
import { kindOfPath } from "../palette.ts";

/** An answer may be waited for so long at least. */
const patienceMs = 10_000;

/** So many equal requests in so short a time are a loop. */
const storm = { requests: 6, ms: 10_000 };

/** In the time of silence a list is polled once or twice, and a row read a few times. */
const mostReads = 12;

export const requests: { [name: string]: Check } = {
  "what disrupts is not repeated": ({ world, records }) => {
    // Without an answer it may have been done, or be done later.
    const sent = world.cloud
      .ledger()
      .filter((entry) => isDisruption(entry) && !entry.unsent && (entry.status ?? 200) < 300);
    const alike = Map.groupBy(sent, (entry) => `${entry.path} ${JSON.stringify(target(entry))}`);
    return [...alike].flatMap(([what, all]) => {
      const first = all[0]!;
      if (all.length <= Math.max(1, distinctRuns(records, first.path.split("/")[3] ?? "", first))) return [];
      const numbers = all.map(({ number }) => `#${number}`).join(" ");
      return [{ kind: "ComputeInstance", what: `${last(first.path)} sent again`, detail: `${what}: ${numbers}` }];
    });
  },

  "no request is repeated without end": ({ world }) => {
    const sent = world.cloud
      .ledger()
      .filter(({ method, status }) => method !== "GET" && status !== undefined && status < 300);
    const alike = Map.groupBy(
      sent,
      ({ process, method, path, body }) => `${process} ${method} ${path} ${JSON.stringify(body)}`,
    );
    return [...alike].flatMap(([what, all]) => {
      const burst = all.some(
        ({ atMs }, index) => (all[index + storm.requests - 1]?.atMs ?? Infinity) - atMs < storm.ms,
      );
      return burst
        ? [
            {
              kind: kindIn(all[0]!.path),
              what: `a storm of ${all[0]!.method} ${general(all[0]!.path)}`,
              detail: `${what} × ${all.length}`,
            },
          ]
        : [];
    });
  },

  "nothing is read again and again once all is settled": ({ world, silentFrom }) => {
    const reads = world.cloud
      .ledger()
      .slice(silentFrom.requests)
      .filter(({ method, path }) => method === "GET" && !/^\/(profile|account)/.test(path));
    return [...Map.groupBy(reads, ({ path }) => path)]
      .filter(([, all]) => all.length > mostReads)
      .map(([path, all]) => ({
        kind: kindIn(path),
        what: `reads ${general(path)}`,
        detail: `${path}: ${all.length} times`,
      }));
  },

  "a request on its way is let come to its end": ({ world }) =>
    world.cloud
      .ledger()
      .filter(
        ({ method, givenUpAtMs, atMs }) =>
          method !== "GET" && givenUpAtMs !== undefined && givenUpAtMs - atMs < patienceMs,
      )
      .map(({ number, method, path, atMs, givenUpAtMs = 0 }) => ({
        kind: kindIn(path),
        what: `gave up ${method} ${general(path)}`,
        detail: `#${number} after ${givenUpAtMs - atMs} ms`,
      })),

  "one operator at a time": ({ world }) =>
    world.cloud
      .ledger()
      .filter(({ method, process, atMs }) => method !== "GET" && atMs > (world.leaseEnds().get(process) ?? Infinity))
      .map(({ number, method, path }) => ({
        kind: kindIn(path),
        what: `${method} ${general(path)} after the end of the lease`,
        detail: `#${number}`,
      })),

  "what the API server refuses is not asked for in silence": ({ world }) =>
    world.cluster
      .writes()
      .filter(({ verb, error }) => verb === "patch-status" && error?.includes("is invalid"))
      .slice(0, 1)
      .map(({ resource, key, error = "" }) => ({
        kind: resource,
        what: "a status that the definition does not allow",
        detail: `${key}: ${error}`,
      })),

  "no tenant waits for another": ({ world, slow, records }) =>
    records
      .filter(({ object }) => object.kind !== "CloudAccount" && object.kind !== "Domain")
      .flatMap(({ kind, key, object, specs, deletingAt }) => {
        const atMs = specs[0]?.atMs ?? 0;
        const user = accountRefName(object.spec) === "second" ? "second" : "default";
        const hurt = slow.find(({ from, place }) => place !== user && from <= atMs && atMs < from + 60_000);
        if (!hurt || slow.some(({ place }) => place === user) || slow.some(({ troubled }) => troubled)) return [];
        if ((deletingAt ?? Infinity) < atMs + 30_000) return [];
        const first = world.cluster
          .writes()
          .find((write) => write.atMs >= atMs && write.key === `${object.metadata.namespace}/${object.metadata.name}`);
        if (first && first.atMs - atMs < 15_000) return [];
        return [
          {
            kind,
            what: "waited for another account's answers",
            detail: `${key}: ${first ? first.atMs - atMs : "for ever"} ms`,
          },
        ];
      }),
};

/** How often a person asked for this very state: the spec came to it from another. */
function distinctRuns(records: Parameters<Check>[0]["records"], id: string, entry: LedgerEntry): number {
  const [field, value] = target(entry);
  // What runs one time, runs one time for each object.
  const actions = records.filter(({ kind, object }) => kind === "ComputeAction" && runsOf(object, last(entry.path)));
  const ofSpecs = records
    .filter(({ kind, ids }) => kind === "ComputeInstance" && ids.has(id))
    .reduce(
      (sum, { specs }) =>
        sum +
        specs.filter(
          ({ spec }, index) => spec[field] === value && (index === 0 || specs[index - 1]!.spec[field] !== value),
        ).length,
      0,
    );
  // Where somebody took both its record and its finalizer, nothing tells that it ran.
  const unknowable = actions.filter(({ stripped, spoiled }) => stripped && spoiled);
  return ofSpecs + actions.length + unknowable.length;
}

function runsOf({ spec }: KubeObject, action: string): boolean {
  return (spec as { action?: string }).action?.toLowerCase().replace(/backup$/, "") === action;
}

function target({ path, body }: LedgerEntry): [field: string, value: unknown] {
  const field = last(path) === "rebuild" ? "image" : last(path) === "resize" ? "type" : "region";
  return [field, body?.[field]];
}

function isDisruption({ method, path }: LedgerEntry): boolean {
  return method === "POST" && /\/compute\/instances\/\d+\/(rebuild|resize|migrate|backups\/\d+\/restore)$/.test(path);
}

function accountRefName(spec: unknown): string | undefined {
  return (spec as { accountRef?: { name?: string } } | undefined)?.accountRef?.name;
}

function kindIn(path: string): string {
  return kindOfPath(path) ?? kindOfPath(path.replace(/\/[^/]+(\/[a-z-]+)?$/, "")) ?? "other";
}

function general(path: string): string {
  return path.replaceAll(/\d+/g, "*").replace(/us-east-\*\/[^/]+/, "*");
}

function last(path: string): string {
  return path.split("/").at(-1) ?? "";
}
