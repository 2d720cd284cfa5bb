import { expect, it } from "vitest";
import { eventsSince } from "../../../src/core/read/account-events.ts";
import type { Located } from "../../../src/core/model/context.ts";

it("events count by their entity and their time, also where something on the way does not heed the filter", async () => {
  const event = (id: number, entity: object | null, created = "2026-03-01T12:00:05") => ({
    id,
    action: "compute_reboot",
    status: "finished",
    created,
    entity,
  });
  const own = { type: "compute", id: 7 };
  const rows = [
    event(1, own),
    event(2, { type: "domain", id: 7 }),
    event(3, { type: "compute", id: 8 }),
    event(4, own, "2026-01-01T00:00:00"),
    event(5, null),
    event(6, { id: 7 }),
  ];
  const at = {
    kind: { eventEntity: "compute" },
    session: { client: { list: () => Promise.resolve({ rows }) } },
    urgent: false,
  };
  const found = await eventsSince(at as unknown as Located, "7", {
    names: ["compute_reboot"],
    time: "2026-03-01T12:00:00.000Z",
  });
  expect(found.map(({ id }) => id)).toEqual([1, 6]);
});
