/** A generated root password, where its Secret goes while the create request that carries it is on its way. */
import { describe, expect, it } from "vitest";
import { secrets } from "../../../src/cluster/secrets.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changesIn, madeMs, messageOf, specs, stateOf } from "../support.ts";

const name = "web-root-password";
const ref = { namespace: "default", name };

/** The password that was sent. */
function sent({ cloud }: World): unknown {
  return changesIn(cloud.ledger())[0]?.body?.["root_pass"];
}

function kept({ cluster }: World): string | undefined {
  const { data } = (cluster.get("Secret", name) ?? {}) as { data?: Record<string, string> };
  return data?.["password"] && Buffer.from(data["password"], "base64").toString();
}

function told({ cluster }: World): string[] {
  return cluster.events().flatMap(({ type, reason, note }) => (reason === "SecretLost" ? [`${type}: ${note}`] : []));
}

interface Meanwhile {
  kind: "slow" | "lostAfter";
  act: (world: World) => void;
}

/** A ready instance; `act` was done while the response to its creation was on its way. */
async function created({ kind, act }: Meanwhile): Promise<World> {
  const world = createWorld();
  world.cloud.fault({ kind, method: "POST", path: /instances$/, ms: 3_000 });
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  for (let ms = 0; ms < 60_000 && sent(world) === undefined; ms += 20) await world.advance(20);
  act(world);
  await world.advance(madeMs);
  expect(stateOf(world, "ComputeInstance", "web"), messageOf(world, "ComputeInstance", "web")).toBe("Ready");
  return world;
}

const remove = ({ cluster }: World): void => cluster.delete("Secret", name);
const replace = (world: World): void => {
  remove(world);
  world.cluster.secret(name, { password: "Some0ne-elses" });
};

describe("a generated root password whose Secret is deleted while the create request is on its way", () => {
  it.each(["slow", "lostAfter"] as const)("is stored again by the process that sent it: %s", async (kind) => {
    const world = await created({ kind, act: remove });
    expect(kept(world)).toBe(sent(world));
    expect(told(world)).toEqual([]);
  });

  it("is told to be lost once, and what to do, where only a process that is gone knew it", async () => {
    const act = (world: World): void => {
      world.crash();
      remove(world);
      world.restart();
    };
    const world = await created({ kind: "slow", act });
    world.restart();
    await world.advance(madeMs);
    expect(kept(world)).toBeUndefined();
    expect(told(world)).toHaveLength(1);
    expect(told(world)[0]).toMatch(/^Warning: A user deleted Secret web-root-password .*ResetPassword/);
  });
});

describe("a generated root password whose Secret is replaced while the create request is on its way", () => {
  it.each(["slow", "lostAfter"] as const)(
    "is told to be lost once, and that Secret stays as it is: %s",
    async (kind) => {
      const world = await created({ kind, act: replace });
      expect(kept(world)).toBe("Some0ne-elses");
      expect(told(world)).toHaveLength(1);
      expect(told(world)[0]).toMatch(/^Warning: A user replaced Secret web-root-password .*ResetPassword/);
      expect(JSON.stringify(world.cluster.events())).not.toContain(sent(world));
    },
  );

  it("is told to be lost where somebody has changed it", async () => {
    const stringData = { password: "Changed-by-hand-1" };
    const world = await created({
      kind: "slow",
      act: ({ cluster }) => void cluster.objects.patch(secrets, ref, { stringData }),
    });
    expect(kept(world)).toBe(stringData.password);
    expect(told(world)).toHaveLength(1);
  });
});

it("a generated root password whose Secret is deleted later is not stored again, and nothing is said", async () => {
  const world = await created({ kind: "slow", act: () => {} });
  expect(kept(world)).toBe(sent(world));
  remove(world);
  await world.advance(madeMs);
  expect(kept(world)).toBeUndefined();
  expect(told(world)).toEqual([]);
});
