import { expect, it } from "vitest";
import { minutes, stateOf, untilSent } from "../support.ts";
import { brokenMs, keys, kind, living, withKey } from "./keys.ts";

it.each(["keeps running", "is killed"])(
  "a key of another user with the ID of a discarded key stays, if the operator %s after the deletion",
  async (what) => {
    const world = await withKey();
    world.cloud.settings.reuseIds = true;
    const [first] = living(world);
    world.cloud.remove(keys, first?.id ?? "none");
    world.cloud.fault({ kind: "lostAfter", method: "POST", brokenMs });
    await world.advance(minutes(15));
    expect(stateOf(world, kind, "web")).toBe("CreateUncertain");
    const [lost] = living(world);
    const id = lost?.id ?? "none";
    world.cloud.fault({ kind: "lostBefore", method: "DELETE", brokenMs, times: 1 });
    world.cluster.patch(kind, "web", { spec: { management: { adopt: { id } } } });
    await untilSent(world, "DELETE");
    // Another client deletes the key, and the cloud assigns its ID to another user.
    const foreign = world.cloud.replace(keys, id, { label: "web", access_key: "FOREIGN", limited: false });
    if (what === "is killed") {
      world.crash();
      world.restart();
    }
    await world.advance(minutes(30));
    expect(foreign.removed).toBeUndefined();
    expect(world.cloud.rows(keys).map((row) => row.access_key)).toContain("FOREIGN");
  },
);
