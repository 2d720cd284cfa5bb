/** Plays creations against a service that normalises a value. */
import { expect } from "vitest";
import type { Json, JsonObject } from "../../../src/api/types.ts";
import type { Kind } from "../../../src/core/kind/owned.ts";
import { text } from "../../world/collections.ts";
import type { LedgerEntry } from "../../world/dispatcher.ts";
import { createNeeds } from "../../world/needs.ts";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { messageOf, stateOf } from "../support.ts";

export type Path = readonly (string | number)[];

/** A value in the body of a create request, and the value in the row. */
export interface Change {
  path: Path;
  sent: Json;
  stored: Json;
}

const namespace = "default";

/** Longer than any example takes to be created or deleted in these worlds, milliseconds. */
export const settleMs = 150_000;

/** Returns a world with the needs of an example, and a function to create the object. */
export async function stageFor(kind: Kind, example: Kind["examples"][number]) {
  const world = createWorld();
  Object.assign(world.cloud.settings, { instanceMs: 1_000, databaseMs: 1_000, backupMs: 1_000 });
  createNeeds(world, kind, example.name, namespace);
  await world.advance(settleMs);
  const before = cloudObjectsIn(world);
  const create = (): Promise<void> => {
    world.cluster.create(kind.kind, example.name, example.spec);
    return world.advance(settleMs);
  };
  return { world, before, create };
}

/** Returns the requests of a creation: each POST of the object to the path of its first POST. */
export function creationsOf({ cloud }: World, kind: Kind, name: string): LedgerEntry[] {
  const key = `${kind.kind}/${namespace}/${name}`;
  const posts = cloud.ledger().filter(({ method, author }) => method === "POST" && author === key);
  return posts.filter(({ path, body }) => path === posts[0]?.path && body?.["method"] === posts[0].body?.["method"]);
}

/** Makes the service store another value in each request with the sent one. A request of a step has the end of the path. */
export function storeOtherwise({ cloud }: World, { path, sent, stored }: Change): void {
  cloud.settings.normalise = ({ body }) => {
    const at = path.map((_, index) => path.slice(index)).find((end) => isAt(body, end, sent));
    return at ? (withValue(body, at, stored) as JsonObject) : body;
  };
}

function isAt(body: JsonObject, path: Path, sent: Json): boolean {
  return typeof path[0] === "string" && JSON.stringify(valueAt(body, path)) === JSON.stringify(sent);
}

/** Returns every scalar of a body, with its path. */
export function leavesOf(value: Json | undefined, path: Path = []): { path: Path; value: Json }[] {
  if (value === undefined || value === null) return [];
  if (typeof value !== "object") return [{ path, value }];
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return members.flatMap(([name, member]) => leavesOf(member, [...path, name]));
}

function valueAt(value: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((at, name) => (at as Record<string, Json> | null | undefined)?.[name], value);
}

function withValue(value: Json, [name, ...rest]: Path, stored: Json): Json {
  if (name === undefined) return stored;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as JsonObject) }) as Record<string | number, Json>;
  copy[name] = withValue(copy[name] ?? null, rest, stored);
  return copy;
}

/** Returns all cloud objects as paths: rows, and the contents of rows. */
export function cloudObjectsIn({ cloud }: World): string[] {
  const rows = cloud.history().filter(({ removed }) => removed === undefined);
  return rows.flatMap(({ path, id, beside }) => {
    const configs = (beside["configs"] ?? []) as JsonObject[];
    const parts = configs.map((config) => `configs/${text(config["id"])}`);
    const objects = Object.keys((beside["objects"] ?? {}) as JsonObject).map((name) => `objects/${name}`);
    const all = parts.concat(objects, beside["certificate"] === undefined ? [] : ["ssl"]);
    return [`${path}/${id}`].concat(all.map((part) => `${path}/${id}/${part}`));
  });
}

/** Returns the reports of an object: reason and message of Ready, and the message of Drifted. */
export function reportOf(world: World, kind: string, name: string): string {
  const drifted = conditionOf(world.cluster.get(kind, name), "Drifted")?.message ?? "";
  return `${stateOf(world, kind, name)}: ${messageOf(world, kind, name)} | ${drifted}`;
}

/** Deletes the object and expects the same cloud objects as before the creation. */
export async function expectNoOrphan(world: World, kind: string, name: string, before: string[]): Promise<void> {
  world.cluster.delete(kind, name);
  await world.advance(settleMs);
  expect(world.cluster.get(kind, name), reportOf(world, kind, name)).toBeUndefined();
  expect(cloudObjectsIn(world)).toEqual(before);
}
