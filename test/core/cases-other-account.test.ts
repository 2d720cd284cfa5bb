/** What is on the way to the cloud leads to another account for a while: what its user has is not changed. */
import { describe, expect, it } from "vitest";
import { createWorld, token } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { changes, stateOf } from "./situations.ts";

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
    expect(stateOf(world, kind, "own")).toBe("Ready");
    const { id } = cluster.get(kind, "own")!.status ?? {};
    cloud.addToken("another-of-ada", "ada");
    cloud.addToken(token, "eve");
    const before = changes(world).length;
    cluster.patch(kind, "own", { spec: change });
    await world.advance(forMs);
    expect(changes(world)).toHaveLength(before);
    cloud.addToken(token, "ada");
    await world.advance(15 * minute);
    expect(stateOf(world, kind, "own")).toBe("Ready");
    expect(cluster.get(kind, "own")!.status?.["id"]).toBe(id);
    expect(changes(world).length).toBeGreaterThan(before);
  });
});
