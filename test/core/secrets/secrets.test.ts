/** Secrets of any bytes arrive unharmed, and Secrets that are written are noticed before anything is made. */
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { secrets } from "../../../src/cluster/secrets.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, changesIn, idOf, madeMs, messageOf, paths, specs, stateOf } from "../support.ts";

const soonMs = 60_000;

function secret({ cluster }: World, name: string, value: { data: object } | { stringData: object }): void {
  cluster.objects.create(secrets, { metadata: { namespace: "default", name }, ...value });
}

function created({ cloud }: World): JsonObject {
  const post = changesIn(cloud.ledger()).find(({ method, path }) => method === "POST" && path === "/compute/instances");
  return post?.body ?? {};
}

describe("user data", () => {
  it.each([
    ["gzip", gzipSync("#cloud-config")],
    ["text", Buffer.from("#cloud-config\nruncmd: [ä]\n")],
    ["every byte", Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
    ["a UTF-8 mark at the beginning", Buffer.from("\uFEFF#cloud-config")],
  ])("of %s arrives byte for byte", async (_, bytes) => {
    const world = createWorld();
    secret(world, "user-data", { data: { "user-data": bytes.toString("base64") } });
    const spec = { ...specs.ComputeInstance, userDataSecretRef: { name: "user-data" } };
    world.cluster.create("ComputeInstance", "web", spec);
    await world.advance(soonMs);
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
    const { user_data: sent } = created(world)["metadata"] as { user_data: string };
    expect(Buffer.from(sent, "base64").equals(bytes)).toBe(true);
  });

  it("of a Secret that is not there is waited for, and taken up when it comes", async () => {
    const world = createWorld();
    const spec = { ...specs.ComputeInstance, userDataSecretRef: { name: "user-data" } };
    world.cluster.create("ComputeInstance", "web", spec);
    await world.advance(soonMs);
    expect(stateOf(world, "ComputeInstance", "web")).toBe("WaitingForSecret");
    secret(world, "user-data", { stringData: { "user-data": "#cloud-config" } });
    await world.advance(soonMs);
    expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  });
});

it("a key that each object of the programming language has is missing like any other", async () => {
  const world = createWorld();
  secret(world, "root", { stringData: { password: "of-no-interest" } });
  const rootPasswordSecretRef = { name: "root", key: "constructor" };
  world.cluster.create("ComputeInstance", "web", { ...specs.ComputeInstance, rootPasswordSecretRef });
  await world.advance(soonMs);
  expect(messageOf(world, "ComputeInstance", "web")).toContain("Secret root has no key constructor");
  expect(stateOf(world, "ComputeInstance", "web")).toBe("WaitingForSecret");
});

it("a token's key that each object of the programming language has is missing, not malformed", async () => {
  const world = createWorld();
  const tokenSecretRef = { name: "cloud-token", key: "constructor" };
  world.cluster.patch("CloudAccount", "default", { spec: { tokenSecretRef } });
  await world.advance(soonMs);
  expect(stateOf(world, "CloudAccount", "default")).toBe("TokenMissing");
});

it.each([
  ["bytes that are no text", { data: { password: gzipSync("x").toString("base64") } }, "Secret root"],
  ["a password that is too short", { stringData: { password: "short" } }, "7 to 128"],
])("a root password of %s is refused with field and Secret, and a good one serves", async (_, value, says) => {
  const world = createWorld();
  secret(world, "root", value);
  world.cluster.create("ComputeInstance", "web", { ...specs.ComputeInstance, rootPasswordSecretRef: { name: "root" } });
  await world.advance(soonMs);
  expect(stateOf(world, "ComputeInstance", "web")).toBe("InvalidSpec");
  expect(messageOf(world, "ComputeInstance", "web")).toContain("spec.rootPasswordSecretRef");
  expect(messageOf(world, "ComputeInstance", "web")).toContain(says);
  expect(changes(world)).toEqual([]);
  const ref = { namespace: "default", name: "root" };
  world.cluster.objects.patch(secrets, ref, { stringData: { password: "long enough" } });
  await world.advance(soonMs);
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  expect(created(world)["root_pass"]).toBe("long enough");
});

describe("a connection Secret", () => {
  const path = paths.ManagedMySQL;

  async function taken(): Promise<World> {
    const world = createWorld();
    world.cluster.secret("shop-connection", { mine: "yes" });
    world.cluster.create("ManagedMySQL", "shop", specs.ManagedMySQL);
    await world.advance(soonMs);
    expect(stateOf(world, "ManagedMySQL", "shop")).toBe("Conflict");
    expect(messageOf(world, "ManagedMySQL", "shop")).toContain("Secret shop-connection");
    expect(changes(world)).toEqual([]);
    return world;
  }

  it("whose name is taken keeps the database from being made, until the Secret is deleted", async () => {
    const world = await taken();
    world.cluster.delete("Secret", "shop-connection");
    await world.advance(madeMs);
    expect(world.cluster.get("ManagedMySQL", "shop")).toBeReady();
    expect(world.cloud.rows(path)).toHaveLength(1);
  });

  it("whose name is taken gets another one, and the Secret stays as it is", async () => {
    const world = await taken();
    world.cluster.patch("ManagedMySQL", "shop", { spec: { connectionSecretName: "shop-db" } });
    await world.advance(madeMs);
    expect(world.cluster.get("ManagedMySQL", "shop")).toBeReady();
    const mine = world.cluster.get("Secret", "shop-connection") as { data?: object } | undefined;
    expect(mine?.data).toEqual({ mine: Buffer.from("yes").toString("base64") });
    expect(world.cluster.get("Secret", "shop-db")).toBeDefined();
  });

  it.each([false, true])("of another name leaves none under the old one (after a restart: %s)", async (restart) => {
    const world = createWorld();
    world.cluster.create("ManagedMySQL", "shop", specs.ManagedMySQL);
    await world.advance(madeMs);
    expect(world.cluster.get("Secret", "shop-connection")).toBeDefined();
    if (restart) world.crash();
    world.cluster.patch("ManagedMySQL", "shop", { spec: { connectionSecretName: "shop-db" } });
    if (restart) world.restart();
    await world.advance(soonMs);
    expect(world.cluster.get("ManagedMySQL", "shop")).toBeReady();
    expect(world.cluster.get("Secret", "shop-connection")).toBeUndefined();
    expect(world.cluster.get("Secret", "shop-db")).toBeDefined();
  });

  it("to a name that is taken keeps the old one", async () => {
    const world = createWorld();
    world.cluster.create("ManagedMySQL", "shop", specs.ManagedMySQL);
    await world.advance(madeMs);
    world.cluster.secret("theirs", { a: "b" });
    world.cluster.patch("ManagedMySQL", "shop", { spec: { connectionSecretName: "theirs" } });
    await world.advance(soonMs);
    expect(stateOf(world, "ManagedMySQL", "shop")).toBe("Conflict");
    expect(world.cluster.get("Secret", "shop-connection")).toBeDefined();
    world.cluster.delete("Secret", "theirs");
    await world.advance(soonMs);
    expect(world.cluster.get("ManagedMySQL", "shop")).toBeReady();
    expect(world.cluster.get("Secret", "shop-connection")).toBeUndefined();
  });

  it("that somebody deleted is written again", async () => {
    const world = createWorld();
    world.cluster.create("ManagedMySQL", "shop", specs.ManagedMySQL);
    await world.advance(madeMs);
    world.cluster.delete("Secret", "shop-connection");
    await world.advance(soonMs);
    expect(world.cluster.get("Secret", "shop-connection")).toBeDefined();
    expect(idOf(world, "ManagedMySQL", "shop")).not.toBe("");
  });
});

it("the Secret of a generated password whose name is taken keeps the instance from being made", async () => {
  const world = createWorld();
  world.cluster.secret("web-root-password", { mine: "yes" });
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(soonMs);
  expect(stateOf(world, "ComputeInstance", "web")).toBe("Conflict");
  expect(changes(world)).toEqual([]);
  world.cluster.delete("Secret", "web-root-password");
  await world.advance(soonMs);
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
});

it("a disk with an image has no Secret in common with an instance of its name, and says which field names another one", async () => {
  const world = createWorld();
  world.cluster.secret("mine", { password: "Corr3ct-horse" });
  world.cluster.secret("other", { password: "Corr3ct-h0rse" });
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(madeMs);
  const spec = { instanceRef: { name: "web" }, sizeMB: 4_096, image: "compute/debian12" };
  world.cluster.create("ComputeDisk", "web", spec);
  await world.advance(soonMs);
  expect(stateOf(world, "ComputeDisk", "web")).toBe("Conflict");
  expect(messageOf(world, "ComputeDisk", "web")).toContain("name a Secret of your own in spec.rootPasswordSecretRef");
  world.cluster.patch("ComputeDisk", "web", { spec: { rootPasswordSecretRef: { name: "mine" } } });
  await world.advance(madeMs);
  expect(stateOf(world, "ComputeDisk", "web"), messageOf(world, "ComputeDisk", "web")).toBe("Ready");
  const shown = () => world.cluster.get("ComputeDisk", "web")?.status?.["rootPasswordSecretName"];
  expect(shown()).toBe("mine");
  // No image is deployed again: what it was deployed with stays.
  world.cluster.patch("ComputeDisk", "web", { spec: { rootPasswordSecretRef: { name: "other" } } });
  await world.advance(madeMs);
  expect(shown()).toBe("mine");
});

it("connection data that cannot be written is said with the Secret, and written once it is deleted", async () => {
  const world = createWorld();
  world.cluster.create("ManagedMySQL", "db", specs.ManagedMySQL);
  await world.advance(madeMs);
  const ref = { namespace: "default", name: "db-connection" };
  const kept = { immutable: true, data: { password: Buffer.from("wrong").toString("base64") } };
  world.cluster.objects.patch(secrets, ref, kept);
  await world.advance(madeMs);
  expect(stateOf(world, "ManagedMySQL", "db")).toBe("Conflict");
  expect(messageOf(world, "ManagedMySQL", "db")).toContain("Secret db-connection cannot be updated: ");
  world.cluster.objects.beginDelete(secrets, ref)();
  await world.advance(madeMs);
  expect(world.cluster.get("ManagedMySQL", "db")).toBeReady();
  expect(world.cluster.objects.get(secrets, ref)).not.toHaveProperty("immutable");
});

describe("of two objects that name one Secret to publish in", () => {
  const key = (name: string, connectionSecret = { name: "keys" }): [string, string, object] => [
    "ObjectStorageKey",
    name,
    { label: name, connectionSecret },
  ];
  const published = ({ cluster }: World): object =>
    (cluster.get("Secret", "keys") as { data?: object } | undefined)?.data ?? {};

  it("just one is made, whichever is first, and the other is once it has a name of its own", async () => {
    const world = createWorld();
    await world.advance(soonMs);
    world.cluster.create(...key("a"));
    world.cluster.create(...key("b"));
    await world.advance(5 * soonMs);
    expect(changes(world)).toEqual(["POST /object-storage/keys"]);
    expect(published(world)).toHaveProperty("AWS_SECRET_ACCESS_KEY");
    expect(stateOf(world, "ObjectStorageKey", "b")).toBe("Conflict");
    expect(messageOf(world, "ObjectStorageKey", "b")).toContain("Secret keys");
    world.cluster.patch("ObjectStorageKey", "b", { spec: { connectionSecret: { name: "others" } } });
    await world.advance(soonMs);
    expect(stateOf(world, "ObjectStorageKey", "b"), messageOf(world, "ObjectStorageKey", "b")).toBe("Ready");
  });

  it("none is made whose Secret another will write, though its creation is uncertain and the operator restarts", async () => {
    const world = createWorld();
    await world.advance(soonMs);
    world.cloud.fault({ kind: "lostBefore", method: "POST" });
    world.cluster.create(...key("a"));
    await world.advance(500);
    world.restart();
    world.cluster.create(...key("b"));
    await world.advance(2_000);
    expect(messageOf(world, "ObjectStorageKey", "b")).toContain("ObjectStorageKey default/a");
    await world.advance(20 * soonMs);
    expect(world.cluster.get("ObjectStorageKey", "a")).toBeReady();
    expect(stateOf(world, "ObjectStorageKey", "b")).toBe("Conflict");
    expect(world.cloud.rows("/object-storage/keys")).toHaveLength(1);
  });

  it("the other is made when the first one goes", async () => {
    const world = createWorld();
    await world.advance(soonMs);
    world.cluster.create(...key("a"));
    world.cluster.create("ManagedMySQL", "shop", { ...specs.ManagedMySQL, connectionSecret: { name: "keys" } });
    await world.advance(5 * soonMs);
    expect(changes(world)).toHaveLength(1);
    const [made, kept] =
      stateOf(world, "ManagedMySQL", "shop") === "Conflict"
        ? (["ObjectStorageKey a", "ManagedMySQL shop"] as const)
        : (["ManagedMySQL shop", "ObjectStorageKey a"] as const);
    const [kind = "", name = ""] = made.split(" ");
    world.cluster.delete(kind, name);
    await world.advance(madeMs);
    expect(changes(world).filter((call) => call.startsWith("POST"))).toHaveLength(2);
    expect(stateOf(world, ...(kept.split(" ") as [string, string]))).toBe("Ready");
  });
});
