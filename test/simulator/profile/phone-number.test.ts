import { expect, test } from "vitest";
import { reasons, running } from "../running.ts";
import type { CallOptions, Running } from "../running.ts";

const PHONE = "/profile/phone-number";
const NUMBER = { iso_code: "US", phone_number: "555-555-5555" };
const MINUTE = 60_000;

const send = (simulator: Running, options?: CallOptions) => simulator.ok("POST", PHONE, NUMBER, options);
const codes = (simulator: Running): string[] => simulator.control.profile.sms().map(({ code }) => code);

test("part 1 section 4.2 rule 2: verification assigns the number to the user", async () => {
  const simulator = await running();
  expect(await send(simulator)).toEqual({});
  const [message] = simulator.control.profile.sms();
  expect(message).toMatchObject({
    username: "demo",
    phone_number: "+5555555555",
    code: expect.stringMatching(/^\d{6}$/),
  });
  expect((await simulator.ok("GET", "/profile"))["verified_phone_number"]).toBeNull();
  expect(await simulator.ok("POST", `${PHONE}/verify`, { otp_code: message?.code })).toEqual({});
  expect((await simulator.ok("GET", "/profile"))["verified_phone_number"]).toBe("+5555555555");
});

test("part 1 section 4.2 rule 1: a repeated send before expiry sends the same code, a later one another", async () => {
  const simulator = await running();
  await send(simulator);
  await simulator.clock.advance(9 * MINUTE);
  await send(simulator);
  await simulator.clock.advance(2 * MINUTE);
  await send(simulator);
  const [first, second, third] = codes(simulator);
  expect(second).toBe(first);
  const sent = simulator.control.rows("phone-code")[0];
  expect(sent).toMatchObject({ code: third, expires: simulator.control.clock.now() + 10 * MINUTE });
});

test("part 1 section 4.2 rule 1: a code is valid for 10 minutes", async () => {
  const simulator = await running();
  await send(simulator);
  await simulator.clock.advance(10 * MINUTE);
  const late = await simulator.call("POST", `${PHONE}/verify`, { otp_code: codes(simulator)[0] });
  expect([late.status, reasons(late)]).toEqual([400, ["otp_code: The code is wrong or has expired"]]);
});

test("part 1 section 4.2 rule 1: only the user who requested the code can verify with it, and only once", async () => {
  const simulator = await running();
  await send(simulator);
  const body = { otp_code: codes(simulator)[0] };
  const other = await simulator.call("POST", `${PHONE}/verify`, body, { token: "demo-token-restricted" });
  expect(other.status).toBe(400);
  await simulator.ok("POST", `${PHONE}/verify`, body);
  expect((await simulator.call("POST", `${PHONE}/verify`, body)).status).toBe(400);
});

test("part 1 section 4.2 rule 1: a verified number is deleted before another is verified", async () => {
  const simulator = await running();
  await send(simulator);
  await simulator.ok("POST", `${PHONE}/verify`, { otp_code: codes(simulator)[0] });
  expect((await simulator.call("POST", PHONE, NUMBER)).status).toBe(400);
  expect(await simulator.ok("DELETE", PHONE)).toEqual({});
  expect((await simulator.ok("GET", "/profile"))["verified_phone_number"]).toBeNull();
  await send(simulator);
});

test.each([
  { body: { phone_number: "5555555555" }, field: "iso_code", why: "required" },
  { body: { ...NUMBER, iso_code: "USA" }, field: "iso_code", why: "two letters" },
  { body: { ...NUMBER, iso_code: "QQ" }, field: "iso_code", why: "no such country" },
  { body: { iso_code: "US" }, field: "phone_number", why: "required" },
  { body: { ...NUMBER, phone_number: "call me" }, field: "phone_number", why: "no digits" },
  { body: { ...NUMBER, phone_number: "123" }, field: "phone_number", why: "too short" },
])("a phone number is refused by $field: $why", async ({ body, field }) => {
  const simulator = await running();
  const reply = await simulator.call("POST", PHONE, body);
  expect([reply.status, reasons(reply)[0]?.split(":")[0]]).toEqual([400, field]);
  expect(codes(simulator)).toEqual([]);
});

test("the inbox is read over HTTP", async () => {
  const simulator = await running();
  await send(simulator);
  const reply = await simulator.call("GET", "/_simulator/sms", undefined, { token: simulator.controlToken });
  expect(JSON.parse(reply.text)).toEqual(simulator.control.profile.sms());
});
