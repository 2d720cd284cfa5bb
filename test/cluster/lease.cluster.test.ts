import { expect } from "vitest";
import { createKubeClient } from "../../src/cluster/client.ts";
import { createLeadership } from "../../src/cluster/lease.ts";
import type { Clock } from "../../src/queue/clock.ts";
import { clusterTest } from "../support/namespace.ts";
import { createLog, realClock, transportFor } from "./support.ts";

const longestCallMs = 1_000;

clusterTest(
  "a lease passes on after a death, and at once when given back; never are there two",
  async ({ cluster, namespace }) => {
    const transport = transportFor(cluster.kubeconfig);
    const client = createKubeClient(transport, { deadlineMs: 4_000 });
    const candidate = (identity: string) => {
      let dead = false;
      // The timers of a dead process fire no more.
      const schedule: Clock["schedule"] = (ms, callback) => realClock.schedule(ms, () => dead || callback());
      const clock = { ...realClock, schedule };
      const leadership = createLeadership({
        client,
        clock,
        log: createLog(),
        namespace,
        name: "lead",
        identity,
        longestCallMs,
      });
      return { ...leadership, die: () => (dead = true), leads: () => realClock.now() < leadership.deadline() };
    };
    const first = candidate("first");
    await first.acquired;
    const second = candidate("second");
    const third = candidate("third");
    const all = [first, second, third];
    let most = 0;
    const stop = setInterval(() => (most = Math.max(most, all.filter((one) => one.leads()).length)), 20);

    first.die();
    const died = realClock.now();
    const next = await Promise.race([second.acquired.then(() => second), third.acquired.then(() => third)]);
    const gap = realClock.now() - died;
    expect(first.leads()).toBe(false);
    expect(gap).toBeGreaterThan(15_000 - 2_000 + longestCallMs);
    expect(gap).toBeLessThan(15_000 + 2 * 2_000 + longestCallMs + 500);

    const last = next === second ? third : second;
    const returned = realClock.now();
    await next.release();
    await last.acquired;
    expect(realClock.now() - returned).toBeLessThan(2_500);
    await expect.poll(() => last.leads()).toBe(true);
    expect(most).toBe(1);
    expect(new Set(all.map((one) => one.epoch())).size).toBe(3);
    clearInterval(stop);
    await last.release();
    await transport.close();
  },
);
