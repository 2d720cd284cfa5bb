/** What the cases of keys share, whose secret the cloud API shows once. */
import { expect } from "vitest";
import { secretOf, text } from "../../world/collections.ts";
import type { CloudRow } from "../../world/rows.ts";
import type { World } from "../../world/world.ts";
import { begin, calm, idOf, left, minutes, stateOf } from "../support.ts";

export const kind = "ObjectStorageKey";
export const keys = "/object-storage/keys";
export const secretName = "web-s3-credentials";

/** A world with a key `web` that is ready. */
export async function withKey(spec: object = {}, management?: object): Promise<World> {
  const world = await begin(calm);
  world.cluster.create(kind, "web", spec, management && { management });
  await world.advance(minutes(1));
  expect(rightIn(world)).toEqual([]);
  return world;
}

/** The keys that exist, whoever made them. */
export function living({ cloud }: World): CloudRow[] {
  return cloud.history().filter(({ path, removed }) => path === keys && !removed);
}

/** The data of a Secret as text. */
export function dataOf(world: World, name = secretName): Record<string, string> | undefined {
  const secret = world.cluster.get("Secret", name) as { data?: Record<string, string> } | undefined;
  if (!secret) return undefined;
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]),
  );
}

/** What is not as it must be in the end: one key of the operator's, and a Secret with just its values. */
export function rightIn(world: World, name = secretName): string[] {
  const own = left(world).filter(({ path }) => path === keys);
  const [only] = own;
  const wrong: string[] = [];
  if (stateOf(world, kind, "web") !== "Ready") wrong.push(`it is ${stateOf(world, kind, "web")}`);
  if (own.length !== 1) wrong.push(`${own.length} keys are there`);
  if (only?.id !== idOf(world, kind, "web")) wrong.push(`${only?.id} is there, ${idOf(world, kind, "web")} recorded`);
  const { AWS_ACCESS_KEY_ID: id = "", AWS_SECRET_ACCESS_KEY: secret } = dataOf(world, name) ?? {};
  if (id !== text(only?.fields["access_key"])) wrong.push(`the Secret has ${id}`);
  if (secret !== secretOf(id)) wrong.push("the Secret has another secret");
  return wrong;
}

/** Rotates the key. Without a grace period, the former key is deleted at once. */
export function rotate(world: World, rotation: number, gracePeriodSeconds = 0): void {
  world.cluster.patch(kind, "web", { spec: { rotation, gracePeriodSeconds } });
}

/** The response fails so long after the service created the key that the event proves the creation. */
export const brokenMs = 6_000;

/** Does what the condition tells the user to do: deletes keys in the cloud that no Secret holds. */
export async function decide(world: World): Promise<void> {
  if (stateOf(world, kind, "web") !== "CreateUncertain") return;
  const { AWS_ACCESS_KEY_ID: held } = dataOf(world) ?? {};
  for (const { path, id, fields } of left(world)) if (fields["access_key"] !== held) world.cloud.remove(path, id);
  await world.advance(minutes(12));
}
