/** Explores in several processes, one for each processor. */
import { fork } from "node:child_process";
import type { Exploration, Finding } from "./explore.ts";
import type { Cast } from "./troupes.ts";

export interface Task {
  lives: number;
  seed: number;
  cast: Cast;
  /** Commands that no life has. */
  without: string[];
  /** Invariants whose violations the exploration neither reduces nor reports. */
  ignored?: string[];
}

/** What a worker tells: a finding when it is first met there, how many lives there were since, and last the counts by signature. */
export type Told = { finding: Finding } | { lived: number } | { counts: { [signature: string]: number }; ms: number };

export interface WorkersOptions extends Task {
  jobs: number;
  /** Told of a kind of violation when the first worker meets it. */
  onFinding?: (finding: Finding) => void;
  /** Told from time to time how many lives there were so far. */
  onProgress?: (lives: number) => void;
}

/** The same lives as one process would explore, each worker a range of the seeds. `ms` is what the slowest one took. */
export async function exploreTogether(options: WorkersOptions): Promise<Exploration> {
  const { lives, jobs, onFinding, onProgress } = options;
  const findings = new Map<string, Finding>();
  let lived = 0;
  let ms = 0;
  const hear = (told: Told): void => {
    if ("lived" in told) {
      lived += told.lived;
      onProgress?.(lived);
    } else if ("finding" in told) {
      const { finding } = told;
      if (findings.has(finding.signature)) return;
      findings.set(finding.signature, { ...finding, count: 0 });
      onFinding?.(finding);
    } else {
      ms = Math.max(ms, told.ms);
      for (const [signature, count] of Object.entries(told.counts)) {
        const finding = findings.get(signature);
        if (finding) finding.count += count;
      }
    }
  };
  await Promise.all(rangesOf(options, jobs).map((task) => work(task, hear)));
  return { lives, ms, findings: [...findings.values()] };
}

function rangesOf({ lives, seed, cast, without, ignored = [] }: Task, jobs: number): Task[] {
  const share = Math.ceil(lives / jobs);
  return Array.from({ length: Math.ceil(lives / share) }, (_, index) => {
    const begun = index * share;
    return { lives: Math.min(share, lives - begun), seed: seed + begun, cast, without, ignored };
  });
}

/**
 * A life is short, and all of it is garbage after it: collected young, in big portions. What was seen to outlive one
 * collection would be made in the old generation from then on, and would keep its whole world there.
 */
const execArgv = [
  "--max-semi-space-size=64",
  // From the start: it grows by what outlives a collection, which is little.
  "--min-semi-space-size=64",
  // Each worker has a processor: threads that help one to collect would take it from another.
  "--single-threaded-gc",
  "--no-allocation-site-pretenuring",
  // Every function is met thousands of times.
  "--no-lazy-feedback-allocation",
];

function work(task: Task, hear: (told: Told) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = fork(new URL("worker.ts", import.meta.url), { execArgv });
    worker.on("message", hear);
    worker.on("error", reject);
    worker.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))));
    worker.send(task);
  });
}
