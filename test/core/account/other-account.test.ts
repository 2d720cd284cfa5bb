/** What is on the way to the cloud leads to another account for a while: what its user has is not changed. */
import { describe, expect, it } from "vitest";
import { createWorld, token } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, madeMs, paths, specs, stateOf } from "../support.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

interface OfUser {
  kind: string;
  spec: object;
  change: object;
  prepare?: (world: World) => void;
}

const kinds: OfUser[] = [
  { kind: "Profile", spec: { email: "ada@example.org" }, change: { email: "lovelace@example.org" } },
  { kind: "ProfilePreferences", spec: { preferences: { theme: "dark" } }, change: { preferences: { theme: "light" } } },
  {
    kind: "SecurityQuestions",
    spec: {
      questions: [1, 3, 5].map((questionID) => ({ questionID, answerSecretRef: { name: "answers", key: "a" } })),
    },
    change: {
      questions: [1, 3, 5].map((questionID) => ({ questionID, answerSecretRef: { name: "answers", key: "b" } })),
    },
    prepare: ({ cluster }) => void cluster.secret("answers", { a: "Ankh-Morpork", b: "Unseen" }),
  },
  {
    kind: "AccessPolicy",
    spec: { apps: { allow: [{ label: "Old" }] } },
    change: { apps: { allow: [] } },
    prepare({ cloud, clock }) {
      const created = new Date(clock.date().getTime() - day).toISOString().slice(0, 19);
      cloud.settings.scopes = "domains:read_write";
      for (const user of ["ada", "eve"])
        cloud.add("/profile/apps", { id: 11, label: "Old", scopes: "account:read_only", created }, user);
    },
  },
];

describe.each([6_000, 20 * minute])("for %s ms", (forMs) => {
  it.each(kinds)("$kind", async ({ kind, spec, change, prepare }) => {
    const world = createWorld();
    const { cloud, cluster } = world;
    await world.settle();
    cloud.addUser({ token: "token-of-eve", username: "eve" });
    prepare?.(world);
    cluster.create(kind, "own", spec);
    await world.advance(5 * minute);
    expect(world.cluster.get(kind, "own")).toBeReady();
    const { id } = cluster.get(kind, "own")!.status ?? {};
    cloud.addToken("another-of-ada", "ada");
    cloud.addToken(token, "eve");
    const before = changes(world).length;
    cluster.patch(kind, "own", { spec: change });
    await world.advance(forMs);
    expect(changes(world)).toHaveLength(before);
    cloud.addToken(token, "ada");
    await world.advance(15 * minute);
    expect(world.cluster.get(kind, "own")).toBeReady();
    expect(cluster.get(kind, "own")!.status?.["id"]).toBe(id);
    expect(changes(world).length).toBeGreaterThan(before);
  });
});

describe("an account that is switched on purpose", () => {
  it.each([20, 300])("has nothing created in it before its status says whose it is: writes take %i ms", async (ms) => {
    const world = createWorld();
    await world.advance(20_000);
    world.cloud.addUser({ token: "token-of-eve", username: "eve" });
    world.cluster.patch("CloudAccount", "default", { spec: { expectedAccount: world.cloud.user("eve").account } });
    await world.advance(30_000);
    world.cluster.latency.ms = ms;
    world.cluster.patch("Secret", "cloud-token", { stringData: { token: "token-of-eve" } });
    await world.advance(30);
    world.cluster.create("Firewall", "web", specs.Firewall);
    await world.advance(5 * minute);
    expect(world.cluster.get("Firewall", "web")).toBeReady();
    world.cluster.delete("Firewall", "web");
    await world.advance(5 * minute);
    expect(world.cluster.get("Firewall", "web")).toBeUndefined();
    expect(world.cloud.rows(paths.Firewall, "eve")).toEqual([]);
  });

  it("nor one whose token is rotated to another user of it: what each user has is recorded as that one's", async () => {
    const world = createWorld();
    world.cloud.addUser({ token: "token-of-bob", username: "bob", account: world.cloud.user("ada").account });
    await world.advance(20_000);
    world.cluster.latency.ms = 300;
    world.cloud.settings.latencyMs = 30;
    for (let step = 0; step < 12; step++) {
      const to = step % 2 === 0 ? "token-of-bob" : token;
      world.cluster.patch("Secret", "cloud-token", { stringData: { token: to } });
      // The token is proven by then, and the write of the status is on its way.
      await world.advance(300 + 90 + step * 25);
      world.cluster.create("SSHKey", `key-${step}`, { ...specs.SSHKey, label: `key-${step}` });
      await world.advance(minute);
      expect(stateOf(world, "SSHKey", `key-${step}`), `after ${step}`).toBe("Ready");
    }
  });

  it("stays the expected one when its user may not read the account any more", async () => {
    const world = createWorld();
    await world.advance(5_000);
    world.cluster.patch("CloudAccount", "default", { spec: { expectedAccount: world.cloud.user("ada").account } });
    world.cluster.create("SSHKey", "web", specs.SSHKey);
    await world.advance(minute);
    world.cloud.withdraw("ada", []);
    await world.advance(20 * minute);
    expect(world.cluster.get("CloudAccount", "default")).toBeReady();
    world.cluster.patch("SSHKey", "web", { spec: { label: "renamed" } });
    await world.advance(minute);
    expect(world.cloud.rows(paths.SSHKey)).toMatchObject([{ label: "renamed" }]);
  });
});

it.each(["SSHKey", "Firewall", "ComputeInstance", "Domain", "ManagedMySQL"] as const)(
  "a %s whose DELETE was answered and not carried out is not gone for what another account shows",
  async (kind) => {
    const world = createWorld();
    world.cloud.addUser({ token: "token-of-eve", username: "eve" });
    world.cloud.addToken("spare", "ada");
    world.cluster.create(kind, "web", specs[kind]);
    await world.advance(madeMs);
    world.cloud.fault({ kind: "empty", method: "DELETE", times: 100 });
    world.cluster.delete(kind, "web");
    await world.advance(10_000);
    world.cloud.addToken(token, "eve");
    await world.advance(minute);
    world.cloud.addToken(token, "ada");
    await world.advance(10 * minute);
    expect(world.cluster.get(kind, "web")).toBeDefined();
    world.cloud.clearFaults();
    await world.advance(20 * minute);
    expect(world.cluster.get(kind, "web")).toBeUndefined();
    expect(world.cloud.rows(paths[kind], "ada")).toEqual([]);
  },
);
