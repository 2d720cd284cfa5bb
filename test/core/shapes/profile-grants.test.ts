/** Profile of a restricted user: its status says what the user may do. */
import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { messageOf, stateOf } from "../support.ts";

const minute = 60_000;
const grants: JsonObject = {
  global: { account_access: "read_only", add_domains: true, add_computes: true, cancel_account: false },
  domain: [{ id: 12, label: "example.org", permissions: "read_write" }],
  compute: [
    { id: 100, label: "web", permissions: "read_only" },
    { id: 9, label: "old", permissions: "read_write" },
  ],
  volume: [],
};

async function withProfile(restricted: boolean): Promise<World> {
  const world = createWorld();
  Object.assign(world.cloud.user("ada"), { restricted, grants });
  world.cluster.create("Profile", "own", { timezone: "Europe/Vienna" });
  world.cloud.user("ada").profile = { uid: 1, username: "ada", restricted, timezone: "Europe/Vienna" };
  await world.advance(minute);
  expect(stateOf(world, "Profile", "own"), messageOf(world, "Profile", "own")).toBe("Ready");
  return world;
}

const shown = ({ cluster }: World): unknown => cluster.get("Profile", "own")?.status?.["grants"];

it("says what a restricted user may do at all, and with what, in one order", async () => {
  const world = await withProfile(true);
  expect(shown(world)).toEqual({
    accountAccess: "read_only",
    global: ["add_computes", "add_domains"],
    count: 3,
    entries: [
      { type: "compute", id: "9", label: "old", permissions: "read_write" },
      { type: "compute", id: "100", label: "web", permissions: "read_only" },
      { type: "domain", id: "12", label: "example.org", permissions: "read_write" },
    ],
  });
});

it("says nothing of an unrestricted user, and does not ask", async () => {
  const world = await withProfile(false);
  expect(shown(world)).toBeUndefined();
  expect(world.cloud.ledger().filter(({ path }) => path === "/profile/grants")).toEqual([]);
});

it("says nothing any more when the user is restricted no more", async () => {
  const world = await withProfile(true);
  const user = world.cloud.user("ada");
  user.restricted = false;
  user.profile = { ...user.profile, restricted: false };
  await world.advance(30 * minute);
  expect(stateOf(world, "Profile", "own"), messageOf(world, "Profile", "own")).toBe("Ready");
  expect(shown(world)).toBeUndefined();
});
