/** A process that explores the seeds that it is told, and tells what it finds. */
import { explore } from "./explore.ts";
import type { Task, Told } from "./workers.ts";

process.on("message", (task: Task) => void run(task));
// Whoever asked is gone.
process.on("disconnect", () => process.exit());

async function run({ lives, seed, cast, without, ignored }: Task): Promise<void> {
  const { findings, ms } = await explore({
    lives,
    seed,
    cast,
    without: new Set(without),
    ignored: new Set(ignored),
    onFinding: (finding) => tell({ finding }),
    onLived: (lived) => tell({ lived }),
  });
  const counts = findings.map(({ signature, count }) => [signature, count] as const);
  tell({ counts: Object.fromEntries(counts), ms });
  process.disconnect();
}

function tell(told: Told): void {
  process.send?.(told);
}
