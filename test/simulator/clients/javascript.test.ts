import * as published from "@linode/api-v4";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startSimulator } from "../../../src/simulator/simulator.ts";
import type { Simulator } from "../../../src/simulator/simulator.ts";

type Row = Record<string, unknown> & { id: number; url: string; data: Record<string, unknown>[] };

interface Published {
  baseRequest: {
    interceptors: { request: { use(change: (request: { url?: string }) => { url?: string }): number } };
  };
  setToken: (token: string) => unknown;
}

/**
 * The service's public client for JavaScript, which its own web pages use; only the host that it calls is another.
 * Its types are written for bundlers: here every function answers what the service answered.
 */
const client = published as unknown as Record<string, (...values: unknown[]) => Promise<Row>>;
const { baseRequest, setToken } = published as unknown as Published;

const SERVICE = "https://api.linode.com";
const TOKEN = "javascript-token";
const PASSWORD = "Correct-horse-7!";

let simulator: Simulator;
setToken(TOKEN);
baseRequest.interceptors.request.use((request) => {
  return { ...request, url: String(request.url).replace(SERVICE, simulator.url) };
});

beforeEach(async () => {
  simulator = await startSimulator({ brandWord: "linode", timeScale: 1000, token: TOKEN });
});
afterEach(() => simulator.close());

/** Calls a function of the client by its name. */
async function call(name: string, ...values: readonly unknown[]): Promise<Row> {
  const run = client[name];
  if (!run) throw new Error(`the client has no ${name}`);
  return run(...values);
}

/** Waits until an instance has these fields; the client's pages poll in the same way. */
async function settled(id: number, fields: Record<string, unknown>): Promise<void> {
  await vi.waitFor(async () => expect(await call("getLinode", id)).toMatchObject(fields), { timeout: 5000 });
}

test("the JavaScript client leads an instance through its life", async () => {
  const order = { region: "us-east", type: "g6-standard-1", image: "linode/debian12", root_pass: PASSWORD };
  const { id } = await call("createLinode", { ...order, label: "js-one", backups_enabled: true, private_ip: true });
  await settled(id, { status: "running", image: "linode/debian12", backups: { enabled: true } });
  await call("updateLinode", id, { label: "js-2", backups: { schedule: { day: "Sunday", window: "W2" } } });
  await call("linodeShutdown", id);
  await settled(id, { status: "offline" });
  await call("resizeLinode", id, { type: "g6-standard-2", allow_auto_disk_resize: true });
  await settled(id, { status: "offline", type: "g6-standard-2", specs: { memory: 4096 } });
  expect(await call("getLinodeDisks", id)).toMatchObject({ results: 2 });
  await call("rebuildLinode", id, { image: "linode/debian11", root_pass: PASSWORD });
  await settled(id, { status: "running", image: "linode/debian11" });
  await call("deleteLinode", id);
  await vi.waitFor(async () => expect(await call("getLinodes")).toMatchObject({ results: 0 }));
});

test("the JavaScript client filters and orders lists, and reads events", async () => {
  for (const label of ["js-a", "js-b", "other"])
    await call("createLinode", { region: "us-east", type: "g6-nanode-1", label });
  const filter = { "+and": [{ label: { "+contains": "js" } }], "+order_by": "label", "+order": "desc" as const };
  const { data } = await call("getLinodes", { page: 1, page_size: 25 }, filter);
  expect(data.map((row) => row["label"])).toEqual(["js-b", "js-a"]);
  await call("updateLinode", data[0]?.["id"], { label: "js-c" });
  const events = await call("getEvents", {}, { "+and": [{ action: "linode_update" }, { "entity.type": "linode" }] });
  expect(events.data).toMatchObject([{ action: "linode_update", entity: { type: "linode", label: "js-c" } }]);
  await call("markEventSeen", events.data[0]?.["id"]);
});

test("the JavaScript client makes firewalls, domains and buckets", async () => {
  const { id } = await call("createLinode", { region: "us-east", type: "g6-nanode-1", label: "js-one" });
  const inbound = [{ action: "ACCEPT", protocol: "TCP", ports: "22", addresses: { ipv4: ["0.0.0.0/0"] } }];
  const firewall = await call("createFirewall", {
    label: "js-wall",
    rules: { inbound_policy: "DROP", outbound_policy: "ACCEPT", inbound, outbound: [] },
    devices: { linodes: [id] },
  });
  expect((await call("getFirewallDevices", firewall.id)).data).toMatchObject([{ entity: { type: "linode", id } }]);
  expect(await call("disableFirewall", firewall.id)).toMatchObject({ status: "disabled" });

  const domain = await call("createDomain", { domain: "js.example", type: "master", soa_email: "a@js.example" });
  await call("createDomainRecord", domain.id, { type: "A", name: "www", target: "192.0.2.1", ttl_sec: 300 });
  expect((await call("getDomainRecords", domain.id)).data).toMatchObject([{ name: "www", ttl_sec: 300 }]);

  await call("createBucket", { cluster: "us-east-1", label: "js-bucket" });
  const { url } = await call("getObjectURL", "us-east-1", "js-bucket", "a/b", "PUT", { content_type: "text/plain" });
  expect((await fetch(url, { method: "PUT", body: "hello", headers: { "Content-Type": "text/plain" } })).status).toBe(
    200,
  );
  const contents = await call("getObjectList", { clusterId: "us-east-1", bucket: "js-bucket", params: {} });
  expect(contents.data).toMatchObject([{ name: "a/b", size: 5 }]);
});

test("the JavaScript client reads what an error names", async () => {
  const refusal = (name: string, ...values: unknown[]) =>
    call(name, ...values).catch((error: { response?: { status: number; data: unknown } }) => error.response);
  const order = { region: "nowhere", type: "g6-nanode-1", label: "js-one" };
  const errors = [{ field: "region", reason: "region is not valid" }];
  expect(await refusal("createLinode", order)).toMatchObject({ status: 400, data: { errors } });
  expect(await refusal("getVolumes")).toMatchObject({ status: 404, data: { errors: [{ reason: "Not found" }] } });
});

test("the JavaScript client uses catalogs, the profile and the beta root", async () => {
  expect((await call("getRegions")).data[0]?.["capabilities"]).toContain("Linodes");
  expect((await call("getLinodeTypes")).data[0]).toMatchObject({ price: { monthly: 5 } });
  expect(await call("getProfile")).toMatchObject({ username: "demo" });
  expect(await call("updateUserPreferences", { theme: "dark" })).toEqual({ theme: "dark" });
  expect(await call("getVlans")).toMatchObject({ results: 0 });
});
