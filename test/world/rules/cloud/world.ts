import { createWorldClock } from "../../clock.ts";
import { createCloud } from "../../cloud.ts";
import { createCloudDispatcher } from "../../dispatcher.ts";
import { createGate } from "../../gate.ts";
import { asking, lateMs } from "./side.ts";
import type { CloudSide } from "./side.ts";

/** The world's cloud, empty. */
export function openModel(): CloudSide {
  const clock = createWorldClock();
  const { cloud, options } = createCloud(clock);
  const { account } = cloud.addUser({ token: "ada", username: "ada" });
  cloud.addUser({ token: "bob", username: "bob", account });
  cloud.addUser({ token: "cleo", username: "cleo" });
  const dispatcher = createCloudDispatcher(options, createGate(1, clock));
  return {
    ask: asking("http://cloud.test", { ada: "ada", bob: "bob", cleo: "cleo" }, dispatcher),
    advance: (ms) => clock.advance(ms),
    fault: (kind, method, path) => cloud.fault({ kind, method, path: new RegExp(`^${path}`), ms: lateMs }),
    held: () => clock.settle(),
    lagLists: (seconds) => Object.assign(cloud.settings, { listLagMs: seconds * 1_000 }),
    aheadDate: (seconds) => Object.assign(cloud.settings, { dateAheadMs: seconds * 1_000 }),
    giveAgain: () => Object.assign(cloud.settings, { reuseIds: true }),
    change: (path, id, fields) => cloud.change(path, String(id), fields),
    remove: (path, id) => cloud.remove(path, String(id)),
    withdraw: (path, id) => cloud.withdraw("ada", [cloud.find(path, String(id))?.serial ?? 0]),
  };
}
