import { expect } from "vitest";
import type { Fault } from "../../../../src/simulator/server/faults/faults.ts";
import { startSimulator } from "../../../../src/simulator/simulator.ts";
import type { Simulator } from "../../../../src/simulator/simulator.ts";
import { createMovedClock } from "../../../support/clock.ts";
import { asking, firewalls, instances, keys, lateMs } from "./side.ts";
import type { CloudSide, RuleFault } from "./side.ts";

const faults: Record<RuleFault, Fault> = {
  lostBefore: { kind: "reset-before" },
  lostAfter: { kind: "reset-after" },
  lateApply: { kind: "late-apply", ms: lateMs },
  slow: { kind: "slow-answer", ms: lateMs },
  slowApply: { kind: "delay", ms: lateMs },
  html502: { kind: "html" },
  notFound: { kind: "status", status: 404, reason: "Not found" },
  empty: { kind: "empty" },
  tooMany: { kind: "rate-limit", retryAfter: 5 },
  unauthorized: { kind: "status", status: 401, reason: "Invalid Token" },
};

const tables: Record<string, string> = { [keys]: "sshkey", [firewalls]: "firewall", [instances]: "instance" };

/** The simulator on loopback, by a clock that is moved; `reset` empties it for the next rule. */
export async function openSimulator(): Promise<{ side: () => CloudSide; simulator: Simulator }> {
  const clock = createMovedClock();
  const simulator = await startSimulator({ clock, token: "ada" });
  const { control, url } = simulator;
  const ask = asking(url, { ada: "ada", bob: "bob", cleo: "ada-other" });
  const side = (): CloudSide => {
    control.reset();
    control.clock.skewDate(0);
    control.addUser("demo", { username: "bob" });
    control.addToken({ token: "bob", username: "bob" });
    let waiting = 0;
    return {
      ask,
      advance: (ms) => clock.advance(ms),
      fault(kind, method, path) {
        waiting = clock.waiting();
        control.faults.add({ ...faults[kind], method, path, times: 1 });
      },
      held: () => expect.poll(() => clock.waiting()).toBeGreaterThan(waiting),
      lagLists: (seconds) => void control.faults.add({ kind: "absent", seconds, method: "GET", path: "**" }),
      aheadDate: (seconds) => control.clock.skewDate(seconds),
      giveAgain: (path, id) => control.setNextId(tables[path] ?? "", id),
      change: (path, id, fields) => control.change(tables[path] ?? "", id, fields),
      remove: (path, id) => void control.remove(tables[path] ?? "", id),
      withdraw: () => control.changeUser("demo", { restricted: true, grants: { entities: {} } }),
    };
  };
  return { side, simulator };
}
