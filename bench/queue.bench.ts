/** How many keys a second go through the queue, beside a plain list of keys that knows neither times nor urgency. */
import { systemClock } from "../src/process/clock.ts";
import { createQueue } from "../src/queue/queue.ts";
import { alternate, figure, median } from "./support/measure.ts";

const count = 100_000;
const keys = Array.from({ length: count }, (_, index) => `SSHKey/bench/key-${index}`);

const throughQueue = (): Promise<void> =>
  new Promise((resolve) => {
    let left = count;
    const handle = (): Promise<{ type: "done" }> => {
      left -= 1;
      if (left === 0) resolve();
      return Promise.resolve({ type: "done" });
    };
    const queue = createQueue({ clock: systemClock, workers: 16, handle });
    for (const key of keys) queue.add(key);
    for (const key of keys) queue.add(key, { urgency: "user" });
    queue.start();
  });

const throughList = async (): Promise<void> => {
  const waiting = new Set<string>();
  for (const key of keys) waiting.add(key);
  for (const key of keys) waiting.add(key);
  for (const key of waiting) {
    await Promise.resolve();
    waiting.delete(key);
  }
};

const times = await alternate(5, { queue: throughQueue, list: throughList });
figure(
  "keys through the queue, each added twice",
  count / (median(times.queue) / 1000),
  "keys/s",
  {
    atLeast: 100_000,
  },
  { of: "a plain list", value: count / (median(times.list) / 1000) },
);
