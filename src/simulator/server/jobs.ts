import type { SimulatedClock } from "./clock.ts";
import { createDueTimes } from "./due-times.ts";
import { SHARED } from "./store/store.ts";
import type { Store, Table } from "./store/store.ts";

/** A job with a due time. Plain data, so that jobs survive a restart. */
export interface Job {
  readonly id: number;
  readonly dueAt: number;
  /** Name of the job kind. */
  readonly name: string;
  readonly account: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export const JOBS: Table<Job> = { name: "job", key: (job) => job.id, internal: true };

/**
 * Runs stored jobs at their due times.
 * One transaction runs a job and removes it, so each job runs exactly once. After a restart, overdue jobs run first, by due time.
 */
export class Jobs {
  readonly #store: Store;
  readonly #clock: SimulatedClock;
  readonly #run: (job: Job) => void;
  #cancelTimer: () => void = () => {};
  #nextAt: number | undefined;
  /** Due times of all stored jobs. Cancelled jobs can remain and are skipped. */
  readonly #due = createDueTimes();
  #stopped = false;

  /** `run` runs one job inside a transaction, with the clock at the due time. */
  constructor(store: Store, clock: SimulatedClock, run: (job: Job) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#run = run;
  }

  /** Plans a job in `afterMs`, already divided by the time scale. Returns the ID. */
  plan(name: string, account: string, afterMs: number, payload: Record<string, unknown>): number {
    const id = this.#store.nextId("job");
    const dueAt = this.#clock.now() + afterMs;
    this.#store.put(JOBS, SHARED, { id, dueAt, name, account, payload });
    this.#due.add({ at: dueAt, id });
    if (this.#nextAt === undefined || dueAt < this.#nextAt) this.#arm(dueAt);
    return id;
  }

  /** Cancels a job. Does nothing if the job has run already. */
  cancel(id: number): void {
    this.#store.remove(JOBS, SHARED, id);
  }

  /** Returns true if a job starts within `withinMs` milliseconds. */
  isDue(withinMs: number): boolean {
    return this.#nextAt !== undefined && this.#nextAt <= this.#clock.now() + withinMs;
  }

  /** Runs due jobs, including due jobs planned by the jobs. */
  runDue(): void {
    if (this.#stopped || this.#nextAt === undefined || this.#nextAt > this.#clock.now()) return;
    const until = this.#clock.now();
    for (let job = this.#first(); job && job.dueAt <= until; job = this.#first()) this.#runOne(job);
    this.#await();
  }

  /** Reads the stored jobs and resets the timer. Called after the start, a restored snapshot, or a clock change. */
  wake(): void {
    this.#due.clear();
    for (const { dueAt, id } of this.#store.all(JOBS, SHARED)) this.#due.add({ at: dueAt, id });
    this.#await();
  }

  #await(): void {
    this.#cancelTimer();
    this.#nextAt = undefined;
    const first = this.#first();
    if (first && !this.#stopped) this.#arm(first.dueAt);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelTimer();
  }

  #runOne(job: Job): void {
    this.#clock.at(job.dueAt, () =>
      this.#store.transaction(() => {
        this.#store.remove(JOBS, SHARED, job.id);
        this.#run(job);
      }),
    );
  }

  #first(): Job | undefined {
    for (let due = this.#due.first(); due; due = this.#due.first()) {
      const job = this.#store.get(JOBS, SHARED, due.id);
      if (job?.dueAt === due.at) return job;
      this.#due.drop();
    }
    return undefined;
  }

  #arm(dueAt: number): void {
    this.#cancelTimer();
    this.#nextAt = dueAt;
    const wait = Math.max(1, dueAt - this.#clock.now());
    this.#cancelTimer = this.#clock.schedule(wait, () => this.runDue());
  }
}
