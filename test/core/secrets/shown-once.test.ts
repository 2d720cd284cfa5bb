/** Keys whose secret the cloud API shows once: one of each object in the end, and the Secret has it, whatever happens. */
import { describe, expect, it } from "vitest";
import { secrets as secretsResource } from "../../../src/cluster/secrets.ts";
import { conditionOf, namespaces } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import {
  applied,
  begin,
  calm,
  crashedAnywhere,
  idOf,
  left,
  made,
  messageOf,
  minutes,
  obey,
  restore,
  stateOf,
} from "../support.ts";
import { brokenMs, dataOf, decide, keys, kind, living, rightIn, rotate, secretName, withKey } from "./keys.ts";

async function goes(world: World): Promise<boolean> {
  world.cluster.delete(kind, "web");
  await world.advance(minutes(2));
  return world.cluster.get(kind, "web") === undefined && left(world).length === 0 && dataOf(world) === undefined;
}

it("a key is created with one request, and its Secret has what the response showed", async () => {
  const world = await withKey();
  expect(applied(world, "POST")).toEqual([keys]);
  expect(await goes(world)).toBe(true);
});

it.each(["lostAfter", "html502After"] as const)(
  "a key that is created again under the id of the one before is not taken for it where the response is spoilt: %s",
  async (fault) => {
    const world = await withKey();
    world.cloud.settings.reuseIds = true;
    world.cloud.remove(keys, idOf(world, kind, "web"));
    world.cloud.fault({ kind: fault, method: "POST", brokenMs });
    await world.advance(minutes(20));
    await decide(world);
    expect(rightIn(world)).toEqual([]);
  },
);

describe("one key is left, and its Secret has it, wherever the process goes", () => {
  const scenes: { what: string; pollMs?: number; scene: (world: World) => Promise<void> | void }[] = [
    { what: "while it is created", scene: (world) => void world.cluster.create(kind, "web") },
    {
      what: "while the response to its creation is lost",
      scene(world) {
        world.cloud.fault({ kind: "lostAfter", method: "POST", brokenMs });
        world.cluster.create(kind, "web");
      },
    },
    {
      what: "while its creation is carried out later than the connection broke",
      scene(world) {
        world.cloud.fault({ kind: "lateApply", method: "POST", ms: 6_000 });
        world.cluster.create(kind, "web");
      },
    },
    {
      what: "while it is rotated",
      async scene(world) {
        world.cluster.create(kind, "web");
        await world.advance(minutes(1));
        rotate(world, 1);
      },
    },
    {
      what: "while it is rotated with a grace period",
      async scene(world) {
        world.cluster.create(kind, "web");
        await world.advance(minutes(1));
        rotate(world, 1, 60);
      },
    },
    {
      what: "while it is rotated and the response is lost",
      async scene(world) {
        world.cluster.create(kind, "web");
        await world.advance(minutes(1));
        world.cloud.fault({ kind: "lostAfter", method: "POST", brokenMs });
        rotate(world, 1);
      },
    },
    {
      what: "while it is rotated twice, and renamed",
      async scene(world) {
        world.cluster.create(kind, "web");
        await world.advance(minutes(1));
        rotate(world, 1);
        await world.advance(5);
        world.cluster.patch(kind, "web", { spec: { rotation: 2, label: "after" } });
      },
    },
    {
      what: "after its Secret was deleted",
      async scene(world) {
        world.cluster.create(kind, "web");
        await world.advance(minutes(1));
        world.cluster.delete("Secret", secretName);
      },
    },
    {
      what: "after its Secret was deleted while it was rotated",
      async scene(world) {
        world.cluster.create(kind, "web");
        await world.advance(minutes(1));
        world.cluster.patch("Secret", secretName, { metadata: { finalizers: ["a/b"] } });
        world.cluster.delete("Secret", secretName);
        rotate(world, 1);
        await world.advance(100);
        world.cluster.patch("Secret", secretName, { metadata: { finalizers: null } });
      },
    },
    {
      what: "after it was deleted in the cloud",
      pollMs: 20_000,
      async scene(world) {
        world.cluster.create(kind, "web");
        await world.advance(minutes(1));
        world.cloud.remove(keys, idOf(world, kind, "web"));
      },
    },
  ];

  const halves = scenes.flatMap(({ what, ...one }) => [0, 1].map((first) => ({ what, first, one })));

  it.each(halves)("$what, at every second step from $first", async ({ first, one: { scene, pollMs } }) => {
    const begun = async () => {
      const world = await begin(pollMs === undefined ? calm : { timing: { ...calm.timing, pollMs } });
      await scene(world);
      return world;
    };
    const isRight = async (world: World) => {
      await decide(world);
      return rightIn(world).length === 0 && (await goes(world));
    };
    expect(await crashedAnywhere(begun, isRight, 2, first)).toEqual([]);
  });
});

describe("a key that is deleted leaves nothing, wherever the process goes", () => {
  const moments = [0, 60, 120, 180, 240, 300, 360, 420, 480, 540].flatMap((ms) =>
    (["none", "lostAfter", "lateApply"] as const).map((how) => ({ ms, how })),
  );
  it.each(moments)("$ms ms after its rotation began, whose response came so: $how", async ({ ms, how }) => {
    const scene = async () => {
      const world = await withKey();
      if (how !== "none") world.cloud.fault({ kind: how, method: "POST", ms: 6_000 });
      world.cluster.latency.ms = 50;
      rotate(world, 1);
      await world.advance(ms);
      world.cluster.delete(kind, "web");
      return world;
    };
    const isRight = async (world: World) => {
      await decide(world);
      return world.cluster.get(kind, "web") === undefined && left(world).length === 0;
    };
    expect(await crashedAnywhere(scene, isRight, 4)).toEqual([]);
  });
});

describe("a rotation", () => {
  it("never leaves the Secret without a key that exists", async () => {
    const world = await withKey();
    const seen: boolean[] = [];
    world.cloud.onTouch(() => {
      const { AWS_ACCESS_KEY_ID: id } = dataOf(world) ?? {};
      seen.push(living(world).some(({ fields }) => fields["access_key"] === id));
    });
    const before = idOf(world, kind, "web");
    rotate(world, 1);
    await world.advance(minutes(1));
    expect(rightIn(world)).toEqual([]);
    expect(idOf(world, kind, "web")).not.toBe(before);
    expect(seen).toEqual([true, true]);
  });

  it("keeps the former key while the Secret cannot be written", async () => {
    const world = await withKey();
    const before = dataOf(world);
    world.cluster.objects.patch(secretsResource, { namespace: "default", name: secretName }, { immutable: true });
    rotate(world, 1);
    await world.advance(minutes(3));
    expect(stateOf(world, kind, "web")).toBe("Conflict");
    expect(dataOf(world)).toEqual(before);
    expect(living(world).some(({ fields }) => fields["access_key"] === before?.["AWS_ACCESS_KEY_ID"])).toBe(true);
    world.cluster.delete("Secret", secretName);
    await world.advance(minutes(3));
    expect(rightIn(world)).toEqual([]);
  });

  it("is not made for what is adopted until the counter is changed", async () => {
    const world = await begin(calm);
    const { id } = world.cloud.add(keys, { label: "web" });
    world.cluster.create(kind, "web", {}, { management: { adopt: { id } } });
    await world.advance(minutes(1));
    expect(world.cluster.get(kind, "web")).toBeReady();
    expect(unpublishedIn(world)).toContain("change spec.rotation");
    expect(dataOf(world)).toBeUndefined();
    rotate(world, 1);
    await world.advance(minutes(1));
    expect(unpublishedIn(world)).toBeUndefined();
    expect(rightIn(world)).toEqual([]);
    expect(living(world)).toHaveLength(1);
  });
});

describe("a Secret", () => {
  it("whose name is taken keeps the key from being made, until it is deleted", async () => {
    const world = await begin(calm);
    world.cluster.secret(secretName, { mine: "yes" });
    world.cluster.create(kind, "web");
    await world.advance(minutes(1));
    expect(stateOf(world, kind, "web")).toBe("Conflict");
    expect(made(world, keys)).toBe(0);
    world.cluster.delete("Secret", secretName);
    await world.advance(minutes(1));
    expect(rightIn(world)).toEqual([]);
  });

  it("that a stranger makes in place of the deleted one keeps the key as it is", async () => {
    const world = await withKey();
    world.cluster.delete("Secret", secretName);
    world.cluster.secret(secretName, { mine: "yes" });
    await world.advance(minutes(2));
    expect(stateOf(world, kind, "web")).toBe("Conflict");
    expect(applied(world, "DELETE")).toEqual([]);
    world.cluster.delete("Secret", secretName);
    await world.advance(minutes(2));
    expect(rightIn(world)).toEqual([]);
    expect(made(world, keys)).toBe(2);
  });

  it.each([
    ["driftPolicy", "Report"],
    ["missingPolicy", "Report"],
  ])("that was deleted is said where %s is %s, and a rotation mends it", async (field, value) => {
    const world = await withKey({}, { [field]: value });
    world.cluster.delete("Secret", secretName);
    await world.advance(minutes(2));
    expect(stateOf(world, kind, "web")).toBe("SecretUnknown");
    expect(applied(world, "DELETE")).toEqual([]);
    expect(messageOf(world, kind, "web")).toContain("change spec.rotation");
    rotate(world, 1);
    await world.advance(minutes(2));
    expect(rightIn(world)).toEqual([]);
  });

  it("whose values somebody changed counts as lost, and one with more values does not", async () => {
    const world = await withKey();
    const ref = { namespace: "default", name: secretName };
    world.cluster.objects.patch(secretsResource, ref, { data: { more: "bW9yZQ==" } });
    await world.advance(minutes(1));
    expect(rightIn(world)).toEqual([]);
    expect(made(world, keys)).toBe(1);
    world.cluster.objects.patch(secretsResource, ref, { data: { AWS_SECRET_ACCESS_KEY: "bW9yZQ==" } });
    await world.advance(minutes(1));
    expect(rightIn(world)).toEqual([]);
    expect(made(world, keys)).toBe(2);
  });

  it("of another name takes the values along", async () => {
    const world = await withKey();
    world.cluster.patch(kind, "web", { spec: { secretName: "other" } });
    await world.advance(minutes(1));
    expect(rightIn(world, "other")).toEqual([]);
    expect(dataOf(world)).toBeUndefined();
    expect(made(world, keys)).toBe(1);
  });

  it("that is deleted each time it is there does not have keys made without end", async () => {
    const world = await withKey();
    for (let round = 0; round < 60; round += 1) {
      if (dataOf(world)) world.cluster.delete("Secret", secretName);
      await world.advance(1_000);
    }
    expect(made(world, keys)).toBeLessThanOrEqual(4);
    await world.advance(minutes(2));
    expect(rightIn(world)).toEqual([]);
  });
});

it("a restored object deletes the key whose Secret is lost, and has another one", async () => {
  const world = await withKey();
  restore(world, kind, "web");
  await world.advance(minutes(3));
  expect(rightIn(world)).toEqual([]);
  expect(made(world, keys)).toBe(2);
});

it("two operators, one of which takes over at any moment of a rotation, leave one key", async () => {
  const wrong: unknown[] = [];
  for (let moment = 0; moment <= 900; moment += 60) {
    for (const overlapMs of [100, 1_000, 5_000]) {
      const world = await withKey();
      world.cluster.latency.ms = 50;
      rotate(world, 1);
      await world.advance(moment);
      world.handOver(overlapMs);
      await world.advance(minutes(4));
      await decide(world);
      const ends = [...rightIn(world), ...(living(world).length === 1 ? [] : ["more than one key"])];
      if (ends.length > 0) wrong.push({ moment, overlapMs, ends });
    }
  }
  expect(wrong).toEqual([]);
});

it("no byte of a secret is in events, logs, status or annotations", async () => {
  const world = await withKey();
  world.cloud.fault({ kind: "lostAfter", method: "POST" });
  rotate(world, 1);
  await world.advance(minutes(2));
  const seen = [world.cluster.events(), world.lines(), world.cluster.list()];
  expect(JSON.stringify(seen)).not.toContain("s3cret");
});

it("under the policy Plan each step is approved, and the plan shows no secret", async () => {
  const world = await begin(calm);
  world.cluster.create(kind, "web", {}, { management: { policy: "Plan" } });
  await world.advance(minutes(1));
  expect(made(world, keys)).toBe(0);
  await approve(world);
  expect(rightIn(world)).toEqual([]);
  rotate(world, 1);
  await world.advance(minutes(1));
  expect(living(world)).toHaveLength(1);
  await approve(world);
  // The new key works, so the deletion of the former key changes no readiness.
  expect(stateOf(world, kind, "web")).toBe("Ready");
  expect(messageOf(world, kind, "web")).toContain("The deletion of the replaced object storage key");
  expect(living(world)).toHaveLength(2);
  await approve(world);
  expect(rightIn(world)).toEqual([]);
});

it("a key without a list gives access to every bucket, which another namespace needs a grant for", async () => {
  const world = await begin(calm);
  world.cluster.objects.create(namespaces, { metadata: { name: "team" } });
  const account = { tokenSecretRef: { name: "cloud-token" }, sharing: { namespaces: ["team"] } };
  world.cluster.patch("CloudAccount", "default", { spec: account });
  const spec = { accountRef: { name: "default", namespace: "default" } };
  world.cluster.create(kind, "web", spec, { namespace: "team" });
  await world.advance(minutes(1));
  expect(stateOf(world, kind, "web", "team")).toBe("NotShared");
  expect(made(world, keys)).toBe(0);
});

function unpublishedIn({ cluster }: World): string | undefined {
  return conditionOf(cluster.get(kind, "web"), "Unpublished")?.message;
}

async function approve(world: World): Promise<void> {
  obey(world, kind, "web");
  await world.advance(minutes(1));
}

it("a key that is released during its rotation says which former key stays, too", async () => {
  const world = await withKey({}, { deletionPolicy: "Orphan" });
  const former = idOf(world, kind, "web");
  world.cloud.fault({ kind: "unreachable", method: "DELETE", times: 20 });
  rotate(world, 1);
  await world.advance(2_000);
  expect(living(world)).toHaveLength(2);
  world.cluster.delete(kind, "web");
  await world.advance(minutes(1));
  expect(world.cluster.events().map(({ note }) => note)).toContain(
    `Object storage key ${idOf(world, kind, "web") || living(world)[1]?.id} stays in the cloud: deletionPolicy is Orphan. Its predecessor object storage key ${former} stays, too`,
  );
  expect(applied(world, "DELETE")).toEqual([]);
});
