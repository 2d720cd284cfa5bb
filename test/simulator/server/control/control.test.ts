import { expect, test } from "vitest";
import { DEBIAN, running } from "../../running.ts";
import type { CallOptions, Running } from "../../running.ts";

const asControl = (simulator: Running): CallOptions => ({ token: simulator.controlToken });

test("the ledger tells who asked what, what it changed and when it was answered", async () => {
  const simulator = await running();
  const { id } = await simulator.ok("POST", "/compute/instances", DEBIAN);
  await expect.poll(() => simulator.control.ledger()[0]?.repliedAt).not.toBeNull();
  const [entry] = simulator.control.ledger({ operation: "/compute/instances" });
  expect(entry).toMatchObject({
    account: "demo",
    token: "demo",
    method: "POST",
    path: "/v4/compute/instances",
    status: 200,
  });
  expect(JSON.parse(entry?.body ?? "")).toEqual(DEBIAN);
  expect(entry?.changes).toContainEqual({ change: "insert", table: "instance", id: String(id) });
});

test("a refused request is in the ledger without an effect", async () => {
  const simulator = await running();
  await simulator.call("POST", "/compute/instances", { ...DEBIAN, swap_size: 51_000 });
  const [entry] = simulator.control.ledger({ mutating: true });
  expect(entry).toMatchObject({ status: 400, appliedAt: null, changes: [] });
  expect(simulator.control.rows("instance")).toEqual([]);
});

test("the ledger is filtered by method, path, effect and what came after", async () => {
  const simulator = await running();
  await simulator.call("GET", "/profile");
  await simulator.call("PUT", "/profile", { timezone: "UTC" });
  await simulator.call("PUT", "/profile", { timezone: "Nowhere" });
  expect(simulator.control.ledger({ mutating: true }).map((entry) => entry.status)).toEqual([200, 400]);
  expect(simulator.control.ledger({ method: "PUT", applied: true })).toHaveLength(1);
  expect(simulator.control.ledger({ path: "/v4/prof*", sinceId: 1 })).toHaveLength(2);
});

test("a row is changed and removed behind the client's back", async () => {
  const simulator = await running();
  const { id } = await simulator.ok("POST", "/profile/sshkeys", { ssh_key: "ssh-rsa AAAA", label: "mine" });
  simulator.control.change("sshkey", Number(id), { label: "theirs" });
  expect(await simulator.ok("GET", `/profile/sshkeys/${String(id)}`)).toMatchObject({ label: "theirs" });
  expect((await simulator.ok("GET", "/profile/sshkeys"))["results"]).toBe(1);
  expect(simulator.control.remove("sshkey", Number(id))).toBe(true);
  expect((await simulator.call("GET", `/profile/sshkeys/${String(id)}`)).status).toBe(404);
  expect(simulator.control.ledger({ mutating: true })).toHaveLength(1);
});

test("the control side over HTTP wants its own token", async () => {
  const simulator = await running();
  expect((await simulator.call("GET", "/_simulator/ledger")).status).toBe(401);
  expect((await simulator.call("GET", "/_simulator/ledger", undefined, asControl(simulator))).status).toBe(200);
});

test("the control side over HTTP arms faults, moves the clock, adds tokens and resets", async () => {
  const simulator = await running();
  const control = asControl(simulator);
  await simulator.ok("POST", "/_simulator/faults", { kind: "status", status: 500, times: 1 }, control);
  expect((await simulator.call("GET", "/profile")).status).toBe(500);
  const before = simulator.control.clock.now();
  await simulator.ok("POST", "/_simulator/clock", { advanceMs: 60_000, scale: 10 }, control);
  expect(simulator.control.clock.now() - before).toBe(60_000);
  await simulator.ok("POST", "/_simulator/tokens", { token: "second", username: "demo" }, control);
  expect((await simulator.call("GET", "/profile", undefined, { token: "second" })).status).toBe(200);
  await simulator.ok("POST", "/_simulator/reset", {}, control);
  expect((await simulator.call("GET", "/profile", undefined, { token: "second" })).status).toBe(401);
  expect((await simulator.call("GET", "/profile")).status).toBe(200);
});

test("a wrong fault is refused by naming what is wrong", async () => {
  const simulator = await running();
  const reply = await simulator.call("POST", "/_simulator/faults", { kind: "status" }, asControl(simulator));
  expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('"field":"status"')]);
});

test("a token's scopes may be a list, and what is no field of a token is refused by name", async () => {
  const simulator = await running();
  const control = asControl(simulator);
  const scopes = ["account:read_only", "domains:read_only"];
  await simulator.ok("POST", "/_simulator/tokens", { token: "reader", username: "demo", scopes }, control);
  expect((await simulator.call("GET", "/domains", undefined, { token: "reader" })).status).toBe(200);
  expect((await simulator.call("GET", "/images", undefined, { token: "reader" })).status).toBe(403);
  const wrong = await simulator.call(
    "POST",
    "/_simulator/tokens",
    { token: "x", username: "demo", scope: "*" },
    control,
  );
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining("scope")]);
});

test("a restored snapshot brings rows and their running jobs back, and ids go on", async () => {
  const simulator = await running();
  await simulator.ok("POST", "/compute/instances", DEBIAN);
  const dump = simulator.control.snapshot();
  await simulator.ok("POST", "/compute/instances", DEBIAN);
  simulator.control.restore(dump);
  expect(simulator.control.rows("instance").map((row) => row["id"])).toEqual([1001]);
  await simulator.clock.advance(30_000);
  expect(await simulator.ok("GET", "/compute/instances/1001")).toMatchObject({ status: "running" });
  expect(await simulator.ok("POST", "/compute/instances", DEBIAN)).toMatchObject({ id: 1003 });
});

test("what befalls instances is told over HTTP, too", async () => {
  const simulator = await running();
  const { id } = await simulator.ok("POST", "/compute/instances", DEBIAN);
  await simulator.clock.advance(30_000);
  const post = (path: string, body?: object) =>
    simulator.call("POST", `/_simulator${path}`, body, asControl(simulator));
  const status = async () => (await simulator.ok("GET", `/compute/instances/${String(id)}`))["status"];
  expect((await post(`/instances/${String(id)}/power-off`)).status).toBe(200);
  expect(await status()).toBe("booting");
  expect((await post(`/instances/${String(id)}/stop`)).status).toBe(200);
  expect(await status()).toBe("stopped");
  expect((await post(`/instances/${String(id)}/resume`)).status).toBe(200);
  expect((await post(`/instances/${String(id)}/explode`)).status).toBe(404);
  expect((await post("/instances/1/stop")).status).toBe(400);
  expect((await post("/volumes", { compute_id: id })).body).toEqual({ id: 6001 });
  expect((await post("/nodebalancers", { computes: [id] })).body).toEqual({ id: 7001 });
});

test("the last requests of the ledger are read in their order", async () => {
  const simulator = await running();
  for (const path of ["/profile", "/regions", "/tags"]) await simulator.call("GET", path);
  const paths = simulator.control.ledger({ last: 2 }).map((entry) => entry.path);
  expect(paths).toEqual(["/v4/regions", "/v4/tags"]);
});

test("a page shows people the state, to the control token alone, and nothing of it is taken for HTML", async () => {
  const simulator = await running();
  await simulator.ok("POST", "/compute/instances", { ...DEBIAN, label: "web-1" });
  await simulator.call("GET", "/<script>alert(1)</script>");
  simulator.control.faults.add({ kind: "status", status: 500, path: "/<b>" });
  const page = (secret: string) => {
    const Authorization = `Basic ${Buffer.from(`me:${secret}`).toString("base64")}`;
    return simulator.call("GET", "/_simulator/", undefined, { token: null, headers: { Authorization } });
  };
  const shown = await page(simulator.controlToken);
  expect([shown.status, shown.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(shown.text).toMatch(/<td>web-1<\/td>\s*<td>.*provisioning/);
  expect(shown.text).toContain("POST /v4/compute/instances");
  expect(shown.text).toContain("&lt;b&gt;");
  expect(shown.text).not.toMatch(/<script|<b>|correct horse/);
  const refused = await page("wrong");
  expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([
    401,
    'Basic realm="The control token is the password", charset="UTF-8"',
  ]);
});
