/** The plan of a key contains all requests, and the reason. A pending deletion of a replaced key changes no readiness. */
import { describe, expect, it } from "vitest";
import type { World, WorldOptions } from "../../world/world.ts";
import { begin, calm, changes, idOf, manage, messageOf, minutes, obey, stateOf } from "../support.ts";
import { keys, kind, living, rightIn, rotate, secretName } from "./keys.ts";

const graceSeconds = 3_600;

async function withKey(): Promise<{ world: World; become: (mode: "Plan" | "ReadOnly") => void }> {
  const options: WorldOptions = { ...calm, readOnly: false };
  const world = await begin(options);
  world.cluster.create(kind, "web", {});
  await world.advance(minutes(1));
  expect(rightIn(world)).toEqual([]);
  const become = (mode: "Plan" | "ReadOnly") => {
    if (mode === "Plan") return manage(world, kind, "web", { policy: "Plan" });
    options.readOnly = true;
    world.restart();
  };
  return { world, become };
}

function planOf({ cluster }: World): string[] {
  const { plan } = (cluster.get(kind, "web")?.status ?? {}) as { plan?: { operations: object[] } };
  return (plan?.operations ?? []).map((one) => {
    const { method, path, note } = one as Record<string, string>;
    return `${method} ${path}: ${note}`;
  });
}

const waits = { Plan: "WaitingForApproval", ReadOnly: "ReadOnly" };

describe.each(["Plan", "ReadOnly"] as const)("with %s", (mode) => {
  it("a lost Secret leads to a plan with the reason, the deletion and the creation", async () => {
    const { world, become } = await withKey();
    const id = idOf(world, kind, "web");
    become(mode);
    await world.advance(minutes(1));
    const before = changes(world);
    world.cluster.delete("Secret", secretName);
    await world.advance(minutes(2));
    expect(stateOf(world, kind, "web")).toBe(waits[mode]);
    expect(planOf(world)).toEqual([
      `DELETE ${keys}/${id}: deletes object storage key ${id} (web), because Secret ${secretName} does not contain the secret of object storage key ${id} (web), which the cloud API shows only at the creation`,
      `POST ${keys}: creates an object storage key with label "web"`,
    ]);
    expect(changes(world)).toEqual(before);
    if (mode === "ReadOnly") return;
    obey(world, kind, "web");
    await world.advance(minutes(2));
    expect(rightIn(world)).toEqual([]);
    expect(idOf(world, kind, "web")).not.toBe(id);
  });

  it("a second rotation leads to a plan with the deletion of the oldest key and the creation", async () => {
    const { world, become } = await withKey();
    const oldest = idOf(world, kind, "web");
    rotate(world, 1, graceSeconds);
    await world.advance(minutes(1));
    const second = idOf(world, kind, "web");
    become(mode);
    rotate(world, 2, graceSeconds);
    await world.advance(minutes(1));
    expect(stateOf(world, kind, "web")).toBe(waits[mode]);
    expect(planOf(world)).toEqual([
      `DELETE ${keys}/${oldest}: deletes object storage key ${oldest} (web)`,
      `POST ${keys}: creates an object storage key with label "web", which replaces object storage key ${second}`,
    ]);
    if (mode === "ReadOnly") return;
    obey(world, kind, "web");
    await world.advance(minutes(1));
    expect(living(world).map(({ id }) => id)).toEqual([second, idOf(world, kind, "web")]);
    expect(stateOf(world, kind, "web")).toBe("Ready");
  });

  it("a deletion during the grace period leads to a plan with both keys", async () => {
    const { world, become } = await withKey();
    const former = idOf(world, kind, "web");
    rotate(world, 1, graceSeconds);
    await world.advance(minutes(1));
    const current = idOf(world, kind, "web");
    become(mode);
    await world.advance(minutes(1));
    world.cluster.delete(kind, "web");
    await world.advance(minutes(1));
    expect(planOf(world)).toEqual([
      `DELETE ${keys}/${former}: deletes object storage key ${former} (web)`,
      `DELETE ${keys}/${current}: deletes object storage key ${current} (web)`,
    ]);
    if (mode === "ReadOnly") return;
    obey(world, kind, "web");
    await world.advance(minutes(1));
    expect(living(world)).toEqual([]);
    expect(world.cluster.get(kind, "web")).toBeUndefined();
  });

  it("the end of the grace period leaves the key ready, and the plan has the deletion", async () => {
    const { world, become } = await withKey();
    const former = idOf(world, kind, "web");
    rotate(world, 1, graceSeconds);
    await world.advance(minutes(1));
    become(mode);
    await world.advance(minutes(70));
    expect(stateOf(world, kind, "web")).toBe("Ready");
    expect(planOf(world)).toEqual([`DELETE ${keys}/${former}: deletes object storage key ${former} (web)`]);
    expect(messageOf(world, kind, "web")).toContain(`deletes object storage key ${former}`);
    expect(living(world)).toHaveLength(2);
    if (mode === "ReadOnly") return;
    world.cloud.fault({ kind: "busy", method: "DELETE", times: 1 });
    obey(world, kind, "web");
    await world.advance(minutes(5));
    expect(rightIn(world)).toEqual([]);
    expect(planOf(world)).toEqual([]);
  });
});

describe("a read-only operator", () => {
  it.each([
    { policy: "Plan", needs: true },
    { policy: "Manage", needs: false },
  ])("says if a plan also needs an approval: $policy", async ({ policy, needs }) => {
    const world = await begin({ ...calm, readOnly: true });
    world.cluster.create(kind, "web", {}, { management: { policy } });
    await world.advance(minutes(1));
    expect(stateOf(world, kind, "web")).toBe("ReadOnly");
    const text = "The plan then also needs an approval";
    if (needs) expect(messageOf(world, kind, "web")).toContain(text);
    else expect(messageOf(world, kind, "web")).not.toContain(text);
  });
});
