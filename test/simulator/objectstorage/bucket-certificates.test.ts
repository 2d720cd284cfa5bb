import { expect, test } from "vitest";
import { reasons, running } from "../running.ts";
import { bucket } from "./bucket.ts";
import { CERTIFICATE, OTHER_KEY, PRIVATE_KEY } from "./certificate.ts";

const PAIR = { certificate: CERTIFICATE, private_key: PRIVATE_KEY };

test("a certificate is uploaded, told of and deleted, and only then replaced", async () => {
  const simulator = await running();
  const path = `${await bucket(simulator)}/ssl`;
  expect(await simulator.ok("GET", path)).toEqual({ ssl: false });
  expect(await simulator.ok("POST", path, PAIR)).toEqual({ ssl: true });
  expect(await simulator.ok("GET", path)).toEqual({ ssl: true });
  expect((await simulator.call("POST", path, PAIR)).status).toBe(400);
  expect(await simulator.ok("DELETE", path)).toEqual({});
  expect(await simulator.ok("GET", path)).toEqual({ ssl: false });
  expect(await simulator.ok("POST", path, PAIR)).toEqual({ ssl: true });
});

test.each([
  { body: { private_key: PRIVATE_KEY }, field: "certificate", why: "required" },
  { body: { certificate: CERTIFICATE }, field: "private_key", why: "required" },
  { body: { ...PAIR, certificate: "nonsense" }, field: "certificate", why: "not PEM" },
  { body: { ...PAIR, private_key: "nonsense" }, field: "private_key", why: "not PEM" },
  { body: { ...PAIR, private_key: OTHER_KEY }, field: "private_key", why: "of another certificate" },
])("a certificate is refused by $field: $why", async ({ body, field }) => {
  const simulator = await running();
  const path = `${await bucket(simulator)}/ssl`;
  const reply = await simulator.call("POST", path, body);
  expect([reply.status, reasons(reply)[0]?.split(":")[0]]).toEqual([400, field]);
  expect(await simulator.ok("GET", path)).toEqual({ ssl: false });
});
