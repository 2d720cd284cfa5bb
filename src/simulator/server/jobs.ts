import type { SimulatedClock } from "./clock.ts";
import { createDueTimes } from "./due-times.ts";
import { SHARED } from "./store/store.ts";
import type { Store, Table } from "./store/store.ts";

/** Work that is due at a moment of simulated time. Plain data: it survives a restart. */
export interface Job {
  readonly id: number;
  readonly dueAt: number;
  /** Which of the known kinds of job runs it. */
  readonly name: string;
  readonly account: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export const JOBS: Table<Job> = { name: "job", key: (job) => job.id, internal: true };

/**
 * Runs stored jobs when they are due, each in its own transaction together with its removal: never lost, never twice.
 * Jobs that became due while the process was down run at the next start, in the order of their times.
 */
export class Jobs {
  readonly #store: Store;
  readonly #clock: SimulatedClock;
  readonly #run: (job: Job) => void;
  #cancelTimer: () => void = () => {};
  #nextAt: number | undefined;
  /** Of every job in the store, and of some that are there no more: what was forgotten or undone is passed over. */
  readonly #due = createDueTimes();
  #stopped = false;

  /** `run` carries one job out; it is called inside a transaction, with the clock at the moment the job was due. */
  constructor(store: Store, clock: SimulatedClock, run: (job: Job) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#run = run;
  }

  /** Plans a job `afterMs` from now (already divided by the time scale); answers its id. */
  plan(name: string, account: string, afterMs: number, payload: Record<string, unknown>): number {
    const id = this.#store.nextId("job");
    const dueAt = this.#clock.now() + afterMs;
    this.#store.put(JOBS, SHARED, { id, dueAt, name, account, payload });
    this.#due.add({ at: dueAt, id });
    if (this.#nextAt === undefined || dueAt < this.#nextAt) this.#arm(dueAt);
    return id;
  }

  /** Forgets a job; one that has run already is none to forget. */
  cancel(id: number): void {
    this.#store.remove(JOBS, SHARED, id);
  }

  /** Runs everything that is due by now, also what those jobs plan for a moment that has passed. */
  runDue(): void {
    if (this.#stopped || this.#nextAt === undefined || this.#nextAt > this.#clock.now()) return;
    const until = this.#clock.now();
    for (let job = this.#first(); job && job.dueAt <= until; job = this.#first()) this.#runOne(job);
    this.#await();
  }

  /** Reads the jobs of the store and sets the timer anew: after the start, a restored snapshot, or a moved clock. */
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
