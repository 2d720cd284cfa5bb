/** What objects show when they are ready, for the reference: of each kind the first example. */
import { readFileSync, writeFileSync } from "node:fs";
import type { KubeObject } from "../../../src/cluster/types.ts";
import type { Described } from "../../../src/core/kind/described.ts";
import { carriedOut } from "./subjects.ts";
import type { Subject } from "./subjects.ts";

const file = new URL("../../../src/generate/statuses.json", import.meta.url);

interface Shown {
  name: string;
  status: object;
}

const seen = new Map<string, Shown>();

export function noteStatus(
  { kind, example }: { kind: Described; example: Subject["example"] },
  { status }: KubeObject,
): void {
  if (example.name !== carriedOut(kind)[0]?.name) return;
  // The record is signed text, which differs with each run.
  const { record: _, ...told } = status ?? {};
  seen.set(kind.kind, { name: example.name, status: withoutTimes(told) as object });
}

/** Kinds that were seen and are not in the file; `UPDATE_GOLDEN=1` writes those whose fields are others than in it. */
export function unshown(): string[] {
  const known = JSON.parse(readFileSync(file, "utf8")) as Record<string, Shown>;
  const other = ([kind, { status }]: [string, Shown]): boolean =>
    pathsIn(known[kind]?.status).join() !== pathsIn(status).join();
  const changed = Object.fromEntries([...seen].filter(other));
  if (process.env["UPDATE_GOLDEN"] === "1") {
    const all = Object.entries({ ...known, ...changed }).toSorted(([a], [b]) => (a < b ? -1 : 1));
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
    return [];
  }
  return [...seen.keys()].filter((kind) => known[kind] === undefined);
}

/** Times are those of the run; one is as good as another. */
function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutTimes(inner)]));
  return typeof value === "string" ? value.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "2026-01-05T12:00:00Z") : value;
}

/** Names of all fields, without positions in lists. */
function pathsIn(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [path];
  const inner = Object.entries(value).flatMap(([key, one]) =>
    pathsIn(one, `${path}.${Array.isArray(value) ? "" : key}`),
  );
  return [...new Set([path, ...inner])].toSorted();
}
