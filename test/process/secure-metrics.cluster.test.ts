/** A program as it is shipped, whose metrics are secure, and those who try to read them all the same. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { selfSigned } from "../../src/process/self-signed.ts";
import { freePort } from "../../tools/local-cluster/servers.ts";
import { createProcesses, operatorArgs } from "../campaigns/support/processes.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";

const day = 86_400_000;

function get(port: number, authorization: string | undefined, ca?: string): Promise<number | undefined> {
  const trust = ca === undefined ? { rejectUnauthorized: false } : { ca };
  const headers = authorization === undefined ? {} : { authorization };
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path: "/metrics", agent: false, headers, ...trust }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode));
    })
      .once("error", reject)
      .end();
  });
}

test("secure metrics of a program at work are for nobody without a right, whatever is tried, and health is not held up", async () => {
  const cluster = sharedControlPlane();
  const world = await startWorld(cluster, { start: false });
  onTestFinished(() => world.stop());
  const { namespace, simulator } = world;
  const folder = await mkdtemp(join(tmpdir(), "metrics-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const show = async ({ cert, key }: { cert: string; key: string }): Promise<void> => {
    await writeFile(join(folder, "tls.key"), key);
    await writeFile(join(folder, "tls.crt"), cert);
  };
  const first = selfSigned(["localhost", "127.0.0.1"], new Date());
  await show(first);
  const [port, health] = [await freePort(), await freePort()];
  const more = ["--metrics-address", `127.0.0.1:${port}`, "--metrics-secure=on", "--metrics-certificate", folder];
  const processes = createProcesses();
  onTestFinished(() => processes.close());
  const args = operatorArgs({ kubeconfigPath: cluster.kubeconfigPath, cloud: simulator.url, namespace, more });
  const { lines } = await processes.operator([...args, "--health-address", `127.0.0.1:${health}`], '"leading"');

  const config = await readFile(await cluster.addServiceAccount(namespace, "nobody"), "utf8");
  const { token } = (parse(config) as { users: [{ user: { token: string } }] }).users[0].user;
  expect(await get(port, undefined)).toBe(401);
  expect(await get(port, "Bearer no-token-at-all")).toBe(401);
  expect(await get(port, `Bearer ${token}`)).toBe(403);
  expect(await get(port, `Bearer ${token.slice(0, -8)}tampered`)).toBe(401);
  expect(await get(port, `Bearer ${"x".repeat(64_000)}`).catch(() => 431)).toBe(431);

  const flood = Array.from({ length: 300 }, (_, n) => get(port, `Bearer guess-${n}`).catch(() => 0));
  expect((await fetch(`http://127.0.0.1:${health}/healthz`)).status).toBe(200);
  for (const status of await Promise.all(flood)) expect([0, 401, 503]).toContain(status);

  // Half of a rotation, then one that has expired already, then a good one.
  const second = selfSigned(["localhost", "127.0.0.1"], new Date());
  await writeFile(join(folder, "tls.key"), second.key);
  expect(await get(port, `Bearer ${token}`, first.cert)).toBe(403);
  await show(selfSigned(["127.0.0.1"], new Date(Date.now() - 11 * 365 * day)));
  expect(await get(port, `Bearer ${token}`)).toBe(403);
  await show(second);
  expect(await get(port, `Bearer ${token}`, second.cert)).toBe(403);

  expect((await fetch(`http://127.0.0.1:${health}/healthz`)).status).toBe(200);
  const said = lines().join("\n");
  for (const secret of [token, "no-token-at-all", "guess-", "xxxx"]) expect(said).not.toContain(secret);
});
