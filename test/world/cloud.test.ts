import { describe, expect, it } from "vitest";
import { createCloudClient } from "../../src/api/client.ts";
import type { CloudClient } from "../../src/api/types.ts";
import { createWorldClock } from "./clock.ts";
import type { WorldClock } from "./clock.ts";
import { createCloud } from "./cloud.ts";
import type { Cloud } from "./cloud.ts";
import { createCloudDispatcher } from "./dispatcher.ts";
import type { FaultKind } from "./faults.ts";
import { createGate } from "./gate.ts";
import type { Gate } from "./gate.ts";

interface Setting {
  clock: WorldClock;
  cloud: Cloud;
  gate: Gate;
  client: (token: string) => CloudClient;
}

function begin(): Setting {
  const clock = createWorldClock();
  const { cloud, options } = createCloud(clock);
  cloud.addUser({ token: "a", username: "ada" });
  const gate = createGate(1, clock);
  const dispatcher = createCloudDispatcher(options, gate);
  const client = (token: string) =>
    createCloudClient({
      baseUrl: "http://cloud.test",
      token: () => token,
      brandWord: "compute",
      clock: gate.clock,
      dispatcher,
    });
  return { clock, cloud, gate, client };
}

const keysPath = "/profile/sshkeys";
const walls = "/networking/firewalls";
const key = { label: "laptop", ssh_key: "ssh-ed25519 AAAA" };

function outcomeOf({ clock }: Setting, call: Promise<unknown>): Promise<unknown> {
  const outcome = call.then(
    () => "done",
    (error: { status?: number; outcome: string }) => `${error.status ?? "none"} ${error.outcome}`,
  );
  return clock.advance(120_000).then(() => outcome);
}

it("the id of a row that others replaced names theirs", () => {
  const { cloud } = begin();
  const row = cloud.add(walls, { label: "wall" });
  cloud.replace(walls, row.id, { label: "other" });
  expect(cloud.rows(walls)).toMatchObject([{ id: Number(row.id), label: "other" }]);
  expect(cloud.history()).toHaveLength(2);
});

describe("a fault", () => {
  it.each<[FaultKind, string, boolean]>([
    ["unreachable", "none refused", false],
    ["lostBefore", "none ambiguous", false],
    ["lostAfter", "none ambiguous", true],
    ["lateApply", "none ambiguous", true],
    ["html502", "502 ambiguous", false],
    ["html502After", "502 ambiguous", true],
    ["notFound", "404 refused", false],
    ["empty", "done", false],
    ["tooMany", "429 refused", false],
    ["unauthorized", "401 refused", false],
    ["forbidden", "403 refused", false],
    ["busy", "400 refused", false],
    ["slow", "done", true],
    ["slowApply", "done", true],
    ["silent", "none ambiguous", false],
  ])("%s: a POST ends as %s, done: %s", async (kind, outcome, done) => {
    const setting = begin();
    setting.cloud.fault({ kind, method: "POST" });
    expect(await outcomeOf(setting, setting.client("a").send("POST", keysPath, key))).toBe(outcome);
    expect(setting.cloud.rows(keysPath)).toHaveLength(done ? 1 : 0);
    expect(setting.cloud.ledger()).toMatchObject([{ method: "POST", path: keysPath, token: "a", applied: done }]);
  });
});

it("a process that is gone sends nothing, and hears nothing of what it sent", async () => {
  const setting = begin();
  setting.gate.killAfter(1);
  expect(await outcomeOfAll(setting, ["POST", "POST"])).toEqual(["open", "open"]);
  expect(setting.cloud.rows(keysPath)).toHaveLength(1);
});

async function outcomeOfAll({ client, clock }: Setting, methods: "POST"[]): Promise<string[]> {
  const outcomes = methods.map(() => "open");
  methods.forEach((method, index) => {
    client("a")
      .send(method, keysPath, key)
      .then(
        () => (outcomes[index] = "done"),
        () => (outcomes[index] = "failed"),
      );
  });
  await clock.advance(120_000);
  return outcomes;
}
