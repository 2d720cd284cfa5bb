import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../../src/process/clock.ts";
import { createConnect } from "../../src/wiring/cloud.ts";
import { json, startServer } from "../api/server.ts";

test("a tenant whose calls hang takes no connection from another", async () => {
  const server = await startServer((...exchange) => {
    if (exchange[2].headers.authorization !== "Bearer slow") json(200, { username: "ada" })(...exchange);
  });
  const silent = () => undefined;
  const ending = new AbortController();
  const connect = createConnect({
    endpoints: [{ name: "default", url: server.url }],
    brandWord: "compute",
    clock: systemClock,
    log: { debug: silent, info: silent, warn: silent, error: silent },
    deadline: () => Infinity,
    signal: ending.signal,
    wake: silent,
    pollMs: 60_000,
    fastPollMs: 3_000,
    resyncMs: 600_000,
    feedMs: 10_000,
    pageSize: 500,
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
