import { describe, expect, it } from "vitest";
import { createCloudClient } from "../../src/api/client.ts";
import type { CloudClient, JsonObject } from "../../src/api/types.ts";
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
const instances = "/compute/instances";
const key = { label: "laptop", ssh_key: "ssh-ed25519 AAAA" };
const web = { region: "us-east", type: "g6-standard-1", label: "web" };

async function listed(client: CloudClient, path: string): Promise<unknown[]> {
  return (await client.list(path)).rows.map(({ label }) => label);
}

function outcomeOf({ clock }: Setting, call: Promise<unknown>): Promise<unknown> {
  const outcome = call.then(
    () => "done",
    (error: { status?: number; outcome: string }) => `${error.status ?? "none"} ${error.outcome}`,
  );
  return clock.advance(120_000).then(() => outcome);
}

describe("the service", () => {
  it("keeps what a POST made, and forgets what a DELETE removed", async () => {
    const client = begin().client("a");
    const made = (await client.send("POST", keysPath, key)) as JsonObject;
    expect(await client.get(`${keysPath}/${Number(made["id"])}`)).toMatchObject(key);
    await client.send("PUT", `${keysPath}/${Number(made["id"])}`, { label: "renamed", ssh_key: "ignored" });
    expect(await client.get(`${keysPath}/${Number(made["id"])}`)).toMatchObject({ ...key, label: "renamed" });
    await client.send("DELETE", `${keysPath}/${Number(made["id"])}`);
    expect(await listed(client, keysPath)).toEqual([]);
  });

  it("refuses a second name where names are unique, and answers with the first where a create does", async () => {
    const setting = begin();
    const client = setting.client("a");
    await client.send("POST", walls, { label: "wall", rules: {} });
    expect(await outcomeOf(setting, client.send("POST", walls, { label: "wall", rules: {} }))).toBe("400 refused");
    const bucket = { label: "media", cluster: "us-east-1" };
    await client.send("POST", "/object-storage/buckets", bucket);
    await client.send("POST", "/object-storage/buckets", bucket);
    expect(setting.cloud.rows("/object-storage/buckets")).toHaveLength(1);
  });

  it("is busy with an instance until it runs", async () => {
    const setting = begin();
    const client = setting.client("a");
    const { id } = (await client.send("POST", instances, { ...web, image: "compute/debian12" })) as { id: number };
    expect(await outcomeOf({ ...setting }, client.send("POST", `${instances}/${id}/resize`, { type: "b" }))).toBe(
      "400 refused",
    );
    await client.send("POST", `${instances}/${id}/resize`, { type: "b" });
    expect(await client.get(`${instances}/${id}`)).toMatchObject({ status: "resizing", type: "g6-standard-1" });
    await setting.clock.advance(60_000);
    expect(await client.get(`${instances}/${id}`)).toMatchObject({ status: "running", type: "b" });
  });

  it("removes what is in a parent with it", async () => {
    const setting = begin();
    const client = setting.client("a");
    const { id } = (await client.send("POST", "/domains", { domain: "a.test", type: "master" })) as { id: number };
    await client.send("POST", `/domains/${id}/records`, { type: "A" });
    await client.send("DELETE", `/domains/${id}`);
    expect(setting.cloud.history().every(({ removed }) => removed)).toBe(true);
    expect(await outcomeOf(setting, client.list(`/domains/${id}/records`))).toBe("404 refused");
  });

  it("shows an account's rows to all its users, and a user's own to that user", async () => {
    const setting = begin();
    const { account } = setting.cloud.user("ada");
    setting.cloud.addUser({ token: "b", username: "bob", account });
    setting.cloud.addUser({ token: "c", username: "cleo" });
    await setting.client("a").send("POST", instances, web);
    await setting.client("a").send("POST", keysPath, key);
    expect(await listed(setting.client("b"), instances)).toEqual(["web"]);
    expect(await listed(setting.client("b"), keysPath)).toEqual([]);
    expect(await listed(setting.client("c"), instances)).toEqual([]);
  });

  it("hides from a restricted user what no grant names", async () => {
    const setting = begin();
    const row = setting.cloud.add(walls, { label: "wall" });
    setting.cloud.withdraw("ada", [row.serial]);
    expect(await listed(setting.client("a"), walls)).toEqual([]);
    expect(await outcomeOf(setting, setting.client("a").get(`${walls}/${row.id}`))).toBe("404 refused");
    expect(setting.cloud.rows(walls)).toHaveLength(1);
  });

  it("leaves new rows out of lists for a while, where lists lag", async () => {
    const setting = begin();
    setting.cloud.settings.listLagMs = 5_000;
    setting.cloud.add(walls, { label: "wall" });
    expect(await listed(setting.client("a"), walls)).toEqual([]);
    await setting.clock.advance(5_000);
    expect(await listed(setting.client("a"), walls)).toEqual(["wall"]);
  });

  it("gives ids again, where it does", () => {
    const { cloud } = begin();
    const row = cloud.add(walls, { label: "wall" });
    cloud.replace(walls, row.id, { label: "other" });
    expect(cloud.rows(walls)).toMatchObject([{ id: Number(row.id), label: "other" }]);
    expect(cloud.history()).toHaveLength(2);
  });
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
