/** What a CloudAccount tells of itself: that it is connected and as whom, and each new way in which it is not. */
import { expect, it } from "vitest";
import { createWorld, token } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { messageOf, specs, stateOf } from "../support.ts";

const minute = 60_000;

/** Events and lines of the account, which must agree. */
function said({ cluster, lines }: World): string[] {
  const events = cluster
    .events()
    .filter(({ kind }) => kind === "CloudAccount")
    .map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
  const logged = lines().flatMap(({ level, message, fields }) => {
    const { key, reason } = fields as { key?: string; reason?: string };
    const type = { info: "Normal", warn: "Warning", error: "Error" }[level];
    return key === "CloudAccount/default/default" && reason !== undefined ? [`${type} ${reason}: ${message}`] : [];
  });
  expect(logged).toEqual(events);
  return events;
}

function useToken({ cluster }: World, plain: Record<string, string>): void {
  const encoded = Object.entries(plain).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
  cluster.patch("Secret", "cloud-token", { data: { token: null, ...Object.fromEntries(encoded) } });
}

async function connected(): Promise<World> {
  const world = createWorld();
  await world.advance(minute);
  return world;
}

const asAda = "Normal Connected: Connected as ada";
const now = (world: World): string => messageOf(world, "CloudAccount", "default");

it("it is connected: once, also over hours and restarts", async () => {
  const world = await connected();
  await world.advance(60 * minute);
  world.restart();
  await world.advance(60 * minute);
  expect(said(world)).toEqual([asAda]);
});

it("a token of another user of the same account is told", async () => {
  const world = await connected();
  const { account } = world.cloud.user("ada");
  world.cloud.addUser({ token: "token-of-bob", username: "bob", account });
  useToken(world, { token: "token-of-bob" });
  await world.advance(minute);
  expect(said(world)).toEqual([asAda, "Normal Connected: Connected as bob"]);
});

it("a token of the same user is not", async () => {
  const world = await connected();
  world.cloud.addToken("another-of-ada", "ada");
  useToken(world, { token: "another-of-ada" });
  await world.advance(minute);
  expect(said(world)).toEqual([asAda]);
});

interface Row {
  reason: string;
  why: string;
  act: (world: World) => void;
  undo: (world: World) => void;
}

const rows: Row[] = [
  {
    reason: "TokenRejected",
    why: "the cloud API rejects the token (401) that is stored under key token of Secret cloud-token in namespace default",
    act: (world) => useToken(world, { token: "no-such-token" }),
    undo: (world) => useToken(world, { token }),
  },
  {
    reason: "TokenMissing",
    why: "the key is gone from the Secret",
    act: (world) => useToken(world, { other: "value" }),
    undo: (world) => useToken(world, { token }),
  },
  {
    reason: "TokenMalformed",
    why: "it cannot be a token",
    act: (world) => useToken(world, { token: "two words" }),
    undo: (world) => useToken(world, { token }),
  },
  {
    reason: "AccountChanged",
    why: "the token is of another account",
    act(world) {
      world.cloud.addUser({ token: "token-of-eve", username: "eve" });
      useToken(world, { token: "token-of-eve" });
    },
    undo: (world) => useToken(world, { token }),
  },
  {
    reason: "UnknownEndpoint",
    why: "the operator has no such endpoint",
    act: ({ cluster }) => void cluster.patch("CloudAccount", "default", { spec: { endpoint: "mars" } }),
    undo: ({ cluster }) => void cluster.patch("CloudAccount", "default", { spec: { endpoint: "default" } }),
  },
  {
    reason: "CloudUnavailable",
    why: "the cloud API does not answer",
    act(world) {
      world.cloud.fault({ kind: "html502", method: "GET", times: 100_000 });
      world.cluster.patch("CloudAccount", "default", { spec: { pollSeconds: 50 } });
    },
    undo: ({ cloud }) => cloud.clearFaults(),
  },
];

it.each(rows)("$reason is told once, and the connection after it, where $why", async ({ reason, act, undo }) => {
  const world = await connected();
  act(world);
  await world.advance(60 * minute);
  expect(said(world)).toEqual([asAda, `Warning ${reason}: ${now(world)}`]);
  undo(world);
  await world.advance(20 * minute);
  expect(said(world).slice(2)).toEqual([asAda]);
  for (const secret of [token, "two words", "no-such-token"]) expect(said(world).join()).not.toContain(secret);
});

it("a token that is rejected is one event, however many objects wait for it", async () => {
  const world = await connected();
  for (const name of ["one", "two", "three"]) world.cluster.create("Firewall", name, specs.Firewall);
  await world.advance(minute);
  const before = world.cluster.events().length;
  useToken(world, { token: "no-such-token" });
  await world.advance(5 * minute);
  expect(stateOf(world, "Firewall", "three")).toBe("TokenRejected");
  const told = world.cluster.events().slice(before);
  expect(told.map(({ kind, reason }) => `${kind} ${reason}`)).toEqual(["CloudAccount TokenRejected"]);
});
