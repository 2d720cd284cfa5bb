import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { running } from "../running.ts";
import { MYSQL, SHOP, activeDatabase } from "./database.ts";

test("part 1 section 4.1 rule 6: credentials are an error until provisioning is done", async () => {
  const simulator = await running();
  await simulator.ok("POST", MYSQL, SHOP);
  for (const [method, below] of [
    ["GET", "credentials"],
    ["POST", "credentials/reset"],
    ["GET", "ssl"],
  ] as const)
    expect((await simulator.call(method, `${MYSQL}/101/${below}`)).status).toBe(400);
});

test("not-shown section 2: after a reset the new password appears a little later", async () => {
  const simulator = await running();
  const path = await activeDatabase(simulator);
  const before = await simulator.ok("GET", `${path}/credentials`);
  expect(before).toEqual({ username: expect.any(String), password: expect.stringMatching(/^[\w-]{24}$/) });
  expect(await simulator.ok("POST", `${path}/credentials/reset`)).toEqual({});
  expect(await simulator.ok("GET", `${path}/credentials`)).toEqual(before);
  await simulator.clock.advance(10_000);
  const after = await simulator.ok("GET", `${path}/credentials`);
  expect([after["username"], after["password"] === before["password"]]).toEqual([before["username"], false]);
});

test("the certificate is that of a real authority, in base64", async () => {
  const simulator = await running();
  const { ca_certificate } = await simulator.ok("GET", `${await activeDatabase(simulator)}/ssl`);
  const certificate = new X509Certificate(Buffer.from(String(ca_certificate), "base64"));
  expect(certificate.ca).toBe(true);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
});

test("a read-only scope shows credentials and does not reset them", async () => {
  const simulator = await running();
  const path = await activeDatabase(simulator);
  simulator.control.addToken({ token: "reader", username: "demo", scopes: "databases:read_only" });
  const asReader = { token: "reader" };
  expect((await simulator.call("GET", `${path}/credentials`, undefined, asReader)).status).toBe(200);
  expect((await simulator.call("POST", `${path}/credentials/reset`, undefined, asReader)).status).toBe(403);
  expect((await simulator.call("GET", `${path}/backups`, undefined, asReader)).status).toBe(403);
});
