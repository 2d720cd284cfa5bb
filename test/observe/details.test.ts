import { describe, expect, test } from "vitest";
import { settle } from "../support/clock.ts";
import { arrange, collectionAt, rows } from "./cloud.ts";

const RULES = "/networking/firewalls/7/rules";
const firewalls = collectionAt("/networking/firewalls", "firewall");

describe("a detail", () => {
  test("is read once and kept", async () => {
    const { cloud, observer } = arrange();
    cloud.details.set(RULES, { inbound: [] });
    const answers = await Promise.all([observer.detail(RULES), observer.detail(RULES)]);
    expect([...answers, await observer.detail(RULES)]).toEqual([{ inbound: [] }, { inbound: [] }, { inbound: [] }]);
    expect(cloud.requests).toEqual([`GET ${RULES}`]);
  });

  test("of several pages is an array", async () => {
    const { cloud, observer } = arrange();
    cloud.collections.set("/networking/firewalls/7/devices", rows(2));
    expect(await observer.detail("/networking/firewalls/7/devices", { paged: true })).toHaveLength(2);
  });

  test("is read anew after it, or a path above it, was invalidated, and for who asks for a later read", async () => {
    const { cloud, observer, clock } = arrange();
    cloud.details.set(RULES, 1);
    cloud.details.set("/networking/firewalls/70/rules", 1);
    await observer.detail(RULES);
    await observer.detail("/networking/firewalls/70/rules");
    cloud.details.set(RULES, 2);
    observer.invalidate("/networking/firewalls/7");
    expect(await observer.detail(RULES)).toBe(2);
    await observer.detail("/networking/firewalls/70/rules");
    expect(cloud.requests).toHaveLength(3);
    await clock.advance(1);
    await observer.detail(RULES, { after: clock.now() });
    expect(cloud.requests).toHaveLength(4);
  });

  test("whose read was under way when it was invalidated is not kept", async () => {
    const { cloud, observer } = arrange();
    cloud.details.set(RULES, "old");
    const release = cloud.hold();
    const old = observer.detail(RULES);
    await settle();
    cloud.details.set(RULES, "new");
    observer.invalidate(RULES);
    release();
    expect(await old).toBe("old");
    expect(await observer.detail(RULES)).toBe("new");
  });

  test("that cannot be read is asked for again by the next", async () => {
    const { cloud, observer } = arrange();
    await expect(observer.detail(RULES)).rejects.toThrow("404");
    cloud.details.set(RULES, 1);
    expect(await observer.detail(RULES)).toBe(1);
  });

  test("that is old wakes the key of the row above it, and is read anew", async () => {
    const { cloud, observer, clock, woken } = arrange();
    cloud.collections.set(firewalls.path, [{ id: 7 }, { id: 8 }]);
    cloud.details.set(RULES, 1);
    await observer.snapshot(firewalls);
    observer.depend("seven", [{ collection: firewalls, id: "7" }]);
    observer.depend("eight", [{ collection: firewalls, id: "8" }]);
    await observer.detail(RULES);
    await clock.advance(599_999);
    expect(woken).toEqual([]);
    await clock.advance(60_000);
    expect(woken).toEqual(["seven"]);
    cloud.details.set(RULES, 2);
    expect(await observer.detail(RULES)).toBe(2);
  });
});
