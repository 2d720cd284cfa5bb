/** Somebody takes the finalizer off and deletes the object before the operator puts it back: what stays in the cloud is said. */
import { describe, expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { CreateOptions, World } from "../../world/world.ts";
import { idsIn, madeMs, paths, specs } from "../support.ts";
import type { CaseKind } from "../support.ts";

const all = ["SSHKey", "Firewall", "ComputeInstance", "Domain", "Bucket", "ManagedMySQL"] as const;

async function made(kind: CaseKind, options: CreateOptions = {}): Promise<World> {
  const world = createWorld();
  world.cluster.create(kind, "web", specs[kind], options);
  await world.advance(madeMs);
  return world;
}

/** As `kubectl replace` of a manifest that names neither, and `kubectl delete` right behind it. */
function replaceAndDelete({ cluster }: World, kind: CaseKind): void {
  cluster.patch(kind, "web", { metadata: { finalizers: null, annotations: null } });
  cluster.delete(kind, "web");
}

const said = ({ cluster }: World): string[] =>
  cluster
    .events()
    .filter(({ reason }) => reason === "LeftBehind")
    .map(({ note }) => note);

const idIn = (world: World, kind: CaseKind): string => {
  return world.cloud.history().find(({ path }) => path === paths[kind])?.id ?? "";
};

describe.each(all)("a %s that goes without the operator", (kind) => {
  it("is said with the id, the account and what to do; the cloud object is not touched", async () => {
    const world = await made(kind);
    replaceAndDelete(world, kind);
    await world.advance(60_000);
    const id = idIn(world, kind);
    const [note = ""] = said(world);
    expect(said(world)).toHaveLength(1);
    expect(note).toContain(`${id} stays in CloudAccount default/default`);
    expect(note).toContain(`spec.management.adopt.id: "${id}"`);
    expect(Buffer.byteLength(note)).toBeLessThan(1_024);
    const logged = world.logged().filter(({ message }) => message === note);
    expect(logged).toMatchObject([{ level: "warn", fields: { key: `${kind}/default/web`, id, reason: "LeftBehind" } }]);
    expect(idsIn(world, kind)).toHaveLength(1);
  });
});

it.each<{ what: string; how: "each" | "list" }>([
  { what: "a watch event each", how: "each" },
  { what: "a list, in which it is missing", how: "list" },
])("it is said where the replacement and the deletion come as $what", async ({ how }) => {
  const world = await made("SSHKey");
  world.cluster.watch.held = true;
  replaceAndDelete(world, "SSHKey");
  await world.advance(1_000);
  world.cluster.releaseWatches(how);
  await world.settle();
  expect(said(world)).toHaveLength(1);
});

it("it is said where an object of the same name takes its place in one list", async () => {
  const world = await made("SSHKey");
  world.cluster.watch.held = true;
  replaceAndDelete(world, "SSHKey");
  world.cluster.create("SSHKey", "web", specs.SSHKey);
  world.cluster.watch.held = false;
  world.cluster.releaseWatches("list");
  await world.advance(60_000);
  expect(said(world)).toHaveLength(1);
});

it("it is said once where another finalizer still holds the object, since ours cannot be put back", async () => {
  const world = await made("SSHKey");
  world.cluster.patch("SSHKey", "web", {
    metadata: { finalizers: ["example.org/other", "cloudplatform.dev/operator"] },
  });
  await world.settle();
  world.cluster.watch.held = true;
  world.cluster.patch("SSHKey", "web", { metadata: { finalizers: ["example.org/other"] } });
  world.cluster.delete("SSHKey", "web");
  world.cluster.watch.held = false;
  world.cluster.releaseWatches();
  await world.advance(60_000);
  expect(said(world)).toHaveLength(1);
  world.cluster.patch("SSHKey", "web", { metadata: { finalizers: null } });
  await world.advance(60_000);
  expect(said(world)).toHaveLength(1);
});

it("it is said of a creation whose outcome is not known, by its attempt", async () => {
  const world = createWorld();
  world.cloud.fault({ kind: "lostBefore", method: "POST", path: /instances$/ });
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.settle();
  world.restart();
  await world.advance(700_000);
  world.cluster.patch("ComputeInstance", "web", { metadata: { finalizers: null } });
  world.cluster.delete("ComputeInstance", "web");
  await world.advance(1_000);
  expect(said(world)).toEqual([
    expect.stringMatching(/^The instance of an unanswered create request stays in CloudAccount/),
  ]);
});

describe("nothing is said", () => {
  const ends: { what: string; options?: CreateOptions; end: (world: World) => void }[] = [
    { what: "it is deleted", end: ({ cluster }) => cluster.delete("SSHKey", "web") },
    {
      what: "it is deleted, and another finalizer holds it for a while",
      end({ cluster, clock }) {
        const finalizers = ["example.org/other", "cloudplatform.dev/operator"];
        cluster.patch("SSHKey", "web", { metadata: { finalizers } });
        cluster.delete("SSHKey", "web");
        clock.schedule(30_000, () => cluster.patch("SSHKey", "web", { metadata: { finalizers: null } }));
      },
    },
    {
      what: "its deletion policy is Orphan",
      options: { management: { deletionPolicy: "Orphan" } },
      end: (world) => replaceAndDelete(world, "SSHKey"),
    },
    {
      what: "it is let go by hand, as the admission policy asks for it",
      end({ cluster }) {
        const annotations = { "cloudplatform.dev/orphan": "true" };
        cluster.patch("SSHKey", "web", { metadata: { finalizers: null, annotations } });
        cluster.delete("SSHKey", "web");
      },
    },
  ];

  it.each(ends)("where $what", async ({ options, end }) => {
    const world = await made("SSHKey", options);
    end(world);
    await world.advance(60_000);
    expect(world.cluster.get("SSHKey", "web")).toBeUndefined();
    expect(said(world)).toEqual([]);
  });

  it("where nothing was made for it", async () => {
    const world = createWorld({ account: false });
    world.cluster.create("SSHKey", "web", specs.SSHKey);
    await world.settle();
    world.cluster.delete("SSHKey", "web");
    await world.advance(60_000);
    expect(said(world)).toEqual([]);
  });
});
