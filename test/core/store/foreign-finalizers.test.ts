/** The operator is done with an object that is deleted, and somebody else's finalizer holds it: it does not say that all is as specified. */
import { kinds } from "../../../src/kinds/registry.ts";
import { nameOf } from "../../../src/core/kind/naming.ts";
import { describe, expect, it } from "vitest";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { CreateOptions, World } from "../../world/world.ts";
import { idOf, idsIn, madeMs, messageOf, specs, stateOf } from "../support.ts";
import type { CaseKind } from "../support.ts";

const foreign = "example.org/other";

async function made(kind: CaseKind, options: CreateOptions = {}, others = [foreign]): Promise<World> {
  const world = createWorld();
  world.cluster.create(kind, "web", specs[kind], options);
  await world.advance(madeMs);
  const { finalizers = [] } = world.cluster.get(kind, "web")!.metadata;
  world.cluster.patch(kind, "web", { metadata: { finalizers: [...finalizers, ...others] } });
  await world.advance(60_000);
  return world;
}

/** Writes of the operator on objects of kinds. */
const written = ({ cluster }: World, since: number): string[] =>
  cluster
    .writes()
    .slice(since)
    .filter(({ resource }) => resource !== "secrets")
    .map(({ verb }) => verb);

describe.each(["SSHKey", "Firewall", "ComputeInstance", "Bucket"] as const)("a %s that is deleted", (kind) => {
  it("says that it was, and who holds its object, by one more write", async () => {
    const world = await made(kind);
    const id = idOf(world, kind, "web");
    const since = world.cluster.writes().length;
    world.cluster.delete(kind, "web");
    await world.advance(600_000);
    expect(idsIn(world, kind)).toEqual([]);
    expect(world.cluster.get(kind, "web")?.metadata.finalizers).toEqual([foreign]);
    expect(stateOf(world, kind, "web")).toBe("Deleting");
    expect(messageOf(world, kind, "web")).toBe(
      `The operator deleted ${nameOf(
        kinds.find((one) => one.kind === kind)!,
        id,
      )}. Other finalizers keep this object: ${foreign}`,
    );
    expect(conditionOf(world.cluster.get(kind, "web"), "Reconciling")?.status).toBe("True");
    expect(written(world, since)).toEqual(["patch-status", "patch"]);
  });

  it("is written once, to release it, where nobody else holds it", async () => {
    const world = await made(kind, {}, []);
    const since = world.cluster.writes().length;
    world.cluster.delete(kind, "web");
    await world.advance(600_000);
    expect(world.cluster.get(kind, "web")).toBeUndefined();
    expect(written(world, since)).toEqual(["patch"]);
  });
});

it("it says that it was released where what is in the cloud stays", async () => {
  const world = await made("SSHKey", { management: { deletionPolicy: "Orphan" } }, [foreign, "example.org/third"]);
  const id = idOf(world, "SSHKey", "web");
  world.cluster.delete("SSHKey", "web");
  await world.advance(60_000);
  expect(messageOf(world, "SSHKey", "web")).toBe(
    `The operator no longer manages SSH key ${id}. Other finalizers keep this object: ${foreign}, example.org/third`,
  );
});

it("it is released all the same once the other finalizer goes while that cannot be written", async () => {
  const world = await made("SSHKey");
  world.cluster.writeFaults.push({ verb: "patch-status", how: "refused", times: 1_000 });
  world.cluster.delete("SSHKey", "web");
  await world.advance(60_000);
  expect(idsIn(world, "SSHKey")).toEqual([]);
  world.cluster.patch("SSHKey", "web", { metadata: { finalizers: ["cloudplatform.dev/operator"] } });
  await world.advance(60_000);
  expect(world.cluster.get("SSHKey", "web")).toBeUndefined();
});
