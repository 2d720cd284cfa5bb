/** Values of Secrets and ConfigMaps that are larger than the operator delivers. */
import { expect, it } from "vitest";
import { configMaps } from "../../../src/cluster/config-maps.ts";
import { secrets } from "../../../src/cluster/secrets.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, messageOf, specs, stateOf } from "../support.ts";

const minute = 60_000;

interface TooLarge {
  what: string;
  kind: string;
  spec: object;
  /** The field that names the value. */
  field: string;
  /** Stores the value. */
  store: (world: World) => void;
  says: string;
}

const cases: TooLarge[] = [
  {
    what: "user data with one byte too many",
    kind: "ComputeInstance",
    spec: { ...specs.ComputeInstance, userDataSecretRef: { name: "large" } },
    field: "spec.userDataSecretRef",
    store: ({ cluster }) => cluster.secret("large", { "user-data": "x".repeat(65_537) }),
    says: "the value of key user-data in Secret large has 65,537 bytes, and the limit is 65,536 bytes",
  },
  {
    what: "a root password as large as a Secret",
    kind: "ComputeInstance",
    spec: { ...specs.ComputeInstance, rootPasswordSecretRef: { name: "large" } },
    field: "spec.rootPasswordSecretRef",
    store: ({ cluster }) => cluster.secret("large", { password: "a:".padEnd(700_000) }),
    says: "has 700,000 bytes",
  },
  {
    what: "values that are legal one by one and too large together",
    kind: "ComputeInstance",
    spec: {
      ...specs.ComputeInstance,
      rootPasswordSecretRef: { name: "large", key: "one" },
      userDataSecretRef: { name: "large", key: "two" },
      stackScript: { id: 12, dataSecretRef: { name: "large", key: "three" } },
    },
    field: "spec.",
    store: ({ cluster }) =>
      cluster.secret("large", {
        one: "x".repeat(128),
        two: "y".repeat(65_536),
        three: JSON.stringify({ a: "z".repeat(65_500) }),
      }),
    says: "all values together exceed 131,072 bytes",
  },
  {
    what: "a ConfigMap that is larger than a BucketObject may be",
    kind: "BucketObject",
    spec: {
      bucketRef: { name: "media" },
      objectKey: "index.html",
      contentConfigMapRef: { name: "large", key: "content" },
    },
    field: "spec.contentConfigMapRef",
    store: ({ cluster }) => {
      cluster.create("Bucket", "media", { cluster: "us-east-1" });
      const content = { metadata: { namespace: "default", name: "large" }, data: { content: "x".repeat(1_048_577) } };
      cluster.objects.create(configMaps, content);
    },
    says: "has 1,048,577 bytes, and the limit is 1,048,576 bytes",
  },
];

it.each(cases)("an object with $what is not created, and its condition names field, size and limit", async (one) => {
  const world = createWorld();
  one.store(world);
  await world.advance(minute);
  const before = changes(world).length;
  world.cluster.create(one.kind, "web", one.spec);
  await world.advance(minute);
  expect(stateOf(world, one.kind, "web")).toBe("InvalidSpec");
  expect(messageOf(world, one.kind, "web")).toContain(one.field);
  expect(messageOf(world, one.kind, "web")).toContain(one.says);
  expect(changes(world).length).toBe(before);
});

it("an instance with user data of exactly 64 KiB is created", async () => {
  const world = createWorld();
  world.cluster.secret("large", { "user-data": "x".repeat(65_536) });
  world.cluster.create("ComputeInstance", "web", {
    ...(specs.ComputeInstance as object),
    userDataSecretRef: { name: "large" },
  });
  await world.advance(5 * minute);
  expect(stateOf(world, "ComputeInstance", "web"), messageOf(world, "ComputeInstance", "web")).toBe("Ready");
});

it("an object whose value was too large is created as soon as the Secret has a smaller one", async () => {
  const world = createWorld();
  world.cluster.secret("large", { "user-data": "x".repeat(70_000) });
  world.cluster.create("ComputeInstance", "web", {
    ...(specs.ComputeInstance as object),
    userDataSecretRef: { name: "large" },
  });
  await world.advance(minute);
  expect(stateOf(world, "ComputeInstance", "web")).toBe("InvalidSpec");
  const stringData = { "user-data": "#cloud-config" };
  world.cluster.objects.patch(secrets, { namespace: "default", name: "large" }, { stringData });
  await world.advance(5 * minute);
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
});
