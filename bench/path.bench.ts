/** Through how many files of the core a reconcile goes. The world is in memory, so the counts are the same on each machine. */
import { takePath } from "./support/core-calls.ts";
import { figure } from "./support/measure.ts";

const { createWorld, conditionOf } = await import("../test/world/world.ts");
const { specs } = await import("../test/core/support.ts");

const key = "SSHKey/default/laptop";
const world = createWorld();
await world.settle();
world.cluster.create("SSHKey", "laptop", specs.SSHKey);
const isReady = () => conditionOf(world.cluster.get("SSHKey", "laptop"), "Ready")?.status === "True";
for (let steps = 0; steps < 1_000 && !isReady(); steps += 1) await world.advance(10);
if (!isReady()) throw new Error("the SSHKey is not Ready after 10 s");
const creation = takePath(key);

const since = world.cloud.ledger().length;
for (let steps = 0; steps < 100; steps += 1) {
  await world.advance(60_000);
  const path = takePath(key);
  if (!path) continue;
  if (
    world.cloud
      .ledger()
      .slice(since)
      .some(({ method }) => method !== "GET")
  )
    throw new Error("the reconcile without a change sent a change");
  show("a reconcile that changes nothing", path, { files: 22, moves: 45 });
  break;
}
if (creation) show("creation to Ready", creation, { files: 38, moves: 150 });

function show(
  what: string,
  { files, moves, betweenFolders }: NonNullable<typeof creation>,
  target: { files: number; moves: number },
): void {
  figure(`SSHKey, ${what}: files of the core`, files.size, "files", { atMost: target.files });
  figure(`SSHKey, ${what}: moves between files`, moves, "moves", { atMost: target.moves });
  figure(`SSHKey, ${what}: moves between folders`, betweenFolders, "moves");
}
