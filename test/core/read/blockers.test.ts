/** A refusal that ends with a change of a referenced object: every kind with a reference, and each referenced kind of its examples. */
import { expect, it } from "vitest";
import type { Kind } from "../../../src/core/kind/owned.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { conditionOf } from "../../world/world.ts";
import { stageFor } from "./normalised.ts";
import { messageOf } from "../support.ts";

/** Longest time from the change of the referenced object until the next attempt, milliseconds. */
const soonMs = 5_000;

/** How long the cloud needs for the change of the referenced object, milliseconds. */
const changeMs = 20_000;

interface Pair {
  kind: Kind;
  example: Kind["examples"][number];
  /** The referenced object, and a change of its spec. */
  of: string;
  name: string;
  change: object;
}

/** A change of an example that needs an update request, and no permission to disrupt. */
function changeOf(kind: Kind, name: string): object | undefined {
  const { changes = {} } = kind.examples.find((one) => one.name === name) ?? {};
  return changes["label"] ?? changes["description"] ?? changes["tags"] ?? changes["acl"] ?? Object.values(changes)[0];
}

/** A change of an IPv6Range moves the range to a second instance, and the examples have no second instance. */
const unchangeable = new Set(["IPv6Range"]);

const pairs: Pair[] = kinds.flatMap((kind) => {
  if (kind.shape !== "owned" && kind.shape !== "setting") return [];
  const referred = new Set(
    Object.values(kind.references ?? {}).flatMap((one) =>
      "secret" in one || one.creationOnly || one.kind === undefined ? [] : one.kind,
    ),
  );
  const examples = kind.examples.filter(({ shownOnly }) => !shownOnly);
  return [...referred].flatMap((of) => {
    const example = examples.find(({ needs }) => needs?.some((need) => need.kind === of));
    const need = example?.needs?.find((one) => one.kind === of);
    const change =
      need &&
      changeOf(
        kinds.find((one) => one.kind === of)!,
        need.example,
      );
    return example && need && change && !unchangeable.has(of)
      ? [{ kind, example, of, name: need.name ?? need.example, change }]
      : [];
  });
});

it("the table has pairs of kinds", () => {
  expect(pairs.length).toBeGreaterThan(8);
});

it.each(pairs)(
  "$kind.kind and $of: the object waits, is not Stalled, and continues within five seconds",
  { timeout: 60_000 },
  async ({ kind, example, of, name, change }) => {
    const { world } = await stageFor(kind, example);
    const { cluster, cloud, clock } = world;
    const [own, other] = [`${kind.kind}/default/${example.name}`, `${of}/default/${name}`];
    const since = cloud.ledger().length;
    const changed = () =>
      cloud
        .ledger()
        .slice(since)
        .find(({ author, applied }) => author === other && applied);
    const begun = clock.now();
    let endedAt: number | undefined;
    cloud.settings.refuses = ({ author }) =>
      author === own && endedAt === undefined ? { reason: "Not in this state" } : undefined;
    cloud.fault({ kind: "slowApply", method: "PUT", ms: changeMs });
    cluster.patch(of, name, { spec: change });
    cluster.create(kind.kind, example.name, example.spec);
    const sent = () =>
      cloud
        .ledger()
        .slice(since)
        .some(({ author, applied }) => author === own && applied);
    while (!sent() && clock.now() - begun < 10 * 60_000) {
      await world.advance(100);
      if (changed()) endedAt ??= clock.now();
      const stalled = conditionOf(cluster.get(kind.kind, example.name), "Stalled");
      expect(stalled?.status ?? "False", messageOf(world, kind.kind, example.name)).toBe("False");
    }
    expect(clock.now() - (endedAt ?? -Infinity)).toBeLessThanOrEqual(soonMs);
  },
);
