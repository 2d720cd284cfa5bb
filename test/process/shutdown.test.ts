import { expect, it } from "vitest";
import { createShutdown } from "../../src/process/shutdown.ts";
import { createMovedClock, settle } from "../support/clock.ts";

function arrange() {
  const clock = createMovedClock();
  const listeners = new Map<string, (signal: string) => void>();
  const exits: number[] = [];
  const done: string[] = [];
  const errors: object[] = [];
  const host = {
    on: (signal: string, listener: (signal: string) => void) => listeners.set(signal, listener),
    exit: (code: number) => void exits.push(code),
  };
  const log = { info: () => undefined, error: (fields: object) => void errors.push(fields) };
  const shutdown = createShutdown({ clock, log, deadlineMs: 1000, host });
  return { clock, exits, done, errors, shutdown, send: (signal: string) => listeners.get(signal)?.(signal) };
}

it("runs the steps last added first, one at a time, and exits with 0", async () => {
  const { shutdown, send, done, exits, clock } = arrange();
  shutdown.add("caches", () => void done.push("caches"));
  shutdown.add("queue", async () => {
    await settle();
    done.push("queue");
  });
  expect(shutdown.signal.aborted).toBe(false);
  send("SIGTERM");
  expect(shutdown.signal.aborted).toBe(true);
  await expect.poll(() => exits).toEqual([0]);
  expect(done).toEqual(["queue", "caches"]);
  expect(clock.waiting()).toBe(0);
});

it("runs the other steps when one fails, and exits with 1", async () => {
  const { shutdown, send, done, exits, errors } = arrange();
  shutdown.add("lease", () => void done.push("lease"));
  shutdown.add("events", () => Promise.reject(new Error("lost")));
  send("SIGINT");
  await expect.poll(() => exits).toEqual([1]);
  expect(done).toEqual(["lease"]);
  expect(errors).toEqual([expect.objectContaining({ step: "events" })]);
});

it("ends with 1 when a step hangs beyond the deadline", async () => {
  const { shutdown, send, exits, clock } = arrange();
  shutdown.add("hangs", () => new Promise(() => undefined));
  send("SIGTERM");
  await clock.advance(999);
  expect(exits).toEqual([]);
  await clock.advance(1);
  expect(exits).toEqual([1]);
});

it("exits at once on a second signal", async () => {
  const { shutdown, send, exits } = arrange();
  shutdown.add("hangs", () => new Promise(() => undefined));
  send("SIGINT");
  send("SIGINT");
  await settle();
  expect(exits).toEqual([130]);
});

it("ends for a reason of our own with its code, once", async () => {
  const { shutdown, exits } = arrange();
  shutdown.begin("lease lost", 1);
  shutdown.begin("lease lost again", 3);
  await expect.poll(() => exits).toEqual([1]);
});
