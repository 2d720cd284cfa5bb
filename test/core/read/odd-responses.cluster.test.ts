import { buffer, json } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Fault } from "../../../src/simulator/server/faults/faults.ts";
import { forward, passOn, startCloudProxy } from "../../campaigns/support/cloud-proxy.ts";
import { pause } from "../../campaigns/support/fleet.ts";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

let world: World;
let said: string[];
beforeEach(async () => {
  said = [];
  const note = (_fields: object, message: string) => void said.push(message);
  const log = { debug: () => undefined, info: note, warn: note, error: note };
  world = await startWorld(sharedControlPlane(), { operator: { log } });
});
afterEach(() => world.stop());

const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";

test("a row of somebody else without a label stops no creation and no deletion, nor a restart", async () => {
  const { control } = world.simulator;
  await world.apply(world.object("SSHKey", "first", { sshKey }));
  const { status } = await world.ready("SSHKey", "first");
  const row = control.rows("sshkey")[0] ?? {};
  await world.apply(world.object("SSHKey", "theirs", { sshKey: `${sshKey}-of-another` }));
  await world.ready("SSHKey", "theirs");
  const other = control.rows("sshkey").find(({ id }) => id !== row["id"]) ?? {};
  expect(status?.["id"]).toBe(String(row["id"]));
  control.change("sshkey", Number(other["id"]), { label: null });
  await world.restartOperator();
  await world.apply(world.object("SSHKey", "second", { sshKey: `${sshKey}-2` }));
  await world.ready("SSHKey", "second");
  await world.remove("SSHKey", "first");
  await world.gone("SSHKey", "first");
});

test.for<{ why: string; fault: Fault }>([
  { why: "200 with nothing in it", fault: { kind: "empty" } },
  { why: "200 with a page", fault: { kind: "html", status: 200 } },
])("a service that answers everything with $why is said once, and a deletion recovers after it", async ({ fault }) => {
  const { control } = world.simulator;
  await world.apply(world.object("SSHKey", "laptop", { sshKey }));
  await world.ready("SSHKey", "laptop");
  const played = control.faults.add(fault);
  said = [];
  await world.remove("SSHKey", "laptop");
  await pause(5_000);
  expect(said.length, said.join(", ")).toBeLessThan(6);
  control.faults.remove(played);
  await world.gone("SSHKey", "laptop", 60_000);
  expect(said.length, said.join(", ")).toBeLessThan(8);
  expect(control.rows("sshkey")).toEqual([]);
});

test.for([-1, "", "a_new_word", 7.5])(
  "a creation that is answered with the id %j is found by what it asked for, and made once",
  async (id, { onTestFinished }) => {
    const proxy = await startCloudProxy(world.simulator.url, async (exchange) => {
      const answer = await forward(exchange, await buffer(exchange.from));
      if (exchange.from.method !== "POST") return passOn(answer, exchange.to);
      const body = { ...((await json(answer)) as object), id };
      exchange.to.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
    onTestFinished(() => proxy.close());
    await world.restartOperator({ endpoints: [{ name: "default", url: proxy.url }] });
    await world.apply(world.object("SSHKey", "laptop", { sshKey }));
    const { status } = await world.ready("SSHKey", "laptop");
    const rows = world.simulator.control.rows("sshkey");
    expect(rows.map((row) => String(row["id"]))).toEqual([status?.["id"]]);
  },
);
