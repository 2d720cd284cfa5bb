import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../src/process/clock.ts";
import { createConnect } from "../../src/wiring/cloud.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { json, startServer } from "../api/server.ts";

const silent = () => undefined;
const quiet = {
  brandWord: "compute",
  clock: systemClock,
  log: { debug: silent, info: silent, warn: silent, error: silent },
  deadline: () => Infinity,
  signal: new AbortController().signal,
  wake: silent,
  pollMs: 60_000,
  fastPollMs: 3_000,
  resyncMs: 600_000,
  feedMs: 10_000,
  pageSize: 500,
};

test("a tenant whose calls hang takes no connection from another", async () => {
  const server = await startServer((...exchange) => {
    if (exchange[2].headers.authorization !== "Bearer slow") json(200, { username: "ada" })(...exchange);
  });
  const ending = new AbortController();
  const connect = createConnect({
    ...quiet,
    endpoints: [{ name: "default", url: server.url }],
    signal: ending.signal,
  });
  const open = (token: string) =>
    connect({ account: `shop/${token}`, endpoint: "default", token, pollSeconds: undefined });
  const [slow, other] = [open("slow"), open("other")];
  onTestFinished(async () => {
    ending.abort(new Error("the test is over"));
    slow.close();
    other.close();
    await Promise.allSettled(hanging);
    await connect.close();
  });
  const hanging = Array.from({ length: 80 }, (_, index) => slow.client.get(`/regions/${index}`));
  hanging.forEach((call) => void call.catch(silent));
  await vi.waitFor(() => expect(server.received.length).toBeGreaterThanOrEqual(64), { timeout: 20_000 });
  expect(await other.client.get("/profile")).toEqual({ username: "ada" });
});

test("a brand word is served if its public list answers, and a success is remembered", async () => {
  const simulator = await startSimulator({ brandWord: "acme" });
  const connect = createConnect({ ...quiet, endpoints: [{ name: "default", url: simulator.url }] });
  onTestFinished(async () => {
    await connect.close();
    await simulator.close();
  });
  expect(await connect.isServed("default", "compute")).toBe(false);
  simulator.control.faults.add({ kind: "status", status: 401, times: 1 });
  expect(await connect.isServed("default", "acme")).toBeUndefined();
  expect(await connect.isServed("default", "acme")).toBe(true);
  const requests = simulator.control.ledger().length;
  expect(await connect.isServed("default", "acme")).toBe(true);
  expect(simulator.control.ledger()).toHaveLength(requests);
});
