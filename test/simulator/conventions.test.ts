import { expect, test } from "vitest";
import { OPERATIONS } from "../../src/simulator/registry.ts";
import { DEBIAN, running } from "./running.ts";
import type { Running } from "./running.ts";

test("part 1 section 1 rule 1: operations are below v4 and v4beta, those marked beta below v4beta alone", async () => {
  const simulator = await running();
  const status = async (path: string) => (await simulator.call("GET", path)).status;
  expect([await status("/v4/regions"), await status("/v4beta/regions")]).toEqual([200, 200]);
  expect([await status("/v4/networking/vlans"), await status("/v4beta/networking/vlans")]).toEqual([404, 200]);
  expect((await fetch(`${simulator.url}/regions`)).status).toBe(404);
  expect(OPERATIONS.filter(({ beta }) => beta).map(({ path }) => path)).toEqual([
    "/networking/ips/share",
    "/networking/vlans",
  ]);
});

test("part 1 section 1 rule 3: timestamps are in UTC without a zone, but for last_modified", async () => {
  const simulator = await running();
  await populate(simulator);
  const paths = OPERATIONS.filter(({ method, path }) => method === "GET" && !path.includes("{")).map(
    ({ path }) => path,
  );
  paths.push("/compute/instances/1001", "/compute/instances/1001/disks", "/compute/instances/1001/backups");
  paths.push("/databases/mysql/instances/101", "/domains/1/records", "/object-storage/buckets/us-east-1/bucket");
  let seen = 0;
  for (const path of paths) {
    const { body } = await simulator.call("GET", `/v4beta${path}`);
    for (const [key, moment] of moments(body)) {
      seen += 1;
      expect(moment, `${path} ${key}`).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    }
  }
  expect(seen).toBeGreaterThan(60);
  const { data } = await simulator.ok("GET", "/object-storage/buckets/us-east-1/bucket/object-list");
  expect(data).toMatchObject([{ last_modified: "2026-01-01T00:00:00Z" }]);
});

test("part 1 section 1 rule 5: actions and deletions answer an empty object", async () => {
  const simulator = await running();
  await populate(simulator);
  for (const call of [
    "POST /compute/instances/1001/shutdown",
    "POST /compute/instances/1001/backups/cancel",
    "POST /databases/mysql/instances/101/patch",
    "POST /object-storage/cancel",
    "POST /account/events/1001/seen",
    "DELETE /compute/instances/1001",
    "DELETE /databases/mysql/instances/101",
    "DELETE /domains/1/records/1",
    "DELETE /domains/1",
    "DELETE /networking/firewalls/1",
    "DELETE /profile/apps/1",
    "DELETE /profile/devices/1",
    "DELETE /profile/sshkeys/1",
    "DELETE /profile/phone-number",
    "DELETE /tags/some-tag",
  ]) {
    const [method = "", path = ""] = call.split(" ");
    const wait = path.endsWith("/patch") ? 300_000 : 60_000;
    expect([call, (await simulator.call(method, path)).text]).toEqual([call, "{}"]);
    await simulator.clock.advance(wait);
  }
});

async function populate(simulator: Running): Promise<void> {
  const post = (path: string, body: object) => simulator.ok("POST", path, body);
  await post("/compute/instances", { ...DEBIAN, backups_enabled: true, tags: ["some-tag"] });
  const database = { label: "database", engine: "mysql/8.0.35", region: "us-east", type: "g6-nanode-1" };
  await post("/databases/mysql/instances", database);
  await post("/domains", { domain: "example.org", type: "master", soa_email: "admin@example.org" });
  await post("/domains/1/records", { type: "A", target: "192.0.2.1" });
  await post("/networking/firewalls", { label: "wall", rules: { inbound_policy: "DROP", outbound_policy: "ACCEPT" } });
  await post("/profile/sshkeys", { ssh_key: "ssh-ed25519 AAAA" });
  await post("/account/betas", { id: "fast-disks" });
  await post("/object-storage/buckets", { label: "bucket", cluster: "us-east-1", acl: "public-read-write" });
  await fetch(`${simulator.url}/objects/us-east-1/bucket/a`, { method: "PUT", body: "a" });
  await simulator.clock.advance(1_800_000);
}

/** Every text that looks like a moment, with the name it stands under. */
function moments(value: unknown, key = ""): [key: string, moment: string][] {
  if (typeof value === "string") return /^\d{4}-\d\d-\d\d/.test(value) ? [[key, value]] : [];
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, inner]) => moments(inner, name));
}
