import { refused } from "../server/errors.ts";
import type { JobKind, World } from "../server/world.ts";
import { DATABASES } from "./tables.ts";
import type { DatabaseRow, DatabaseStatus } from "./tables.ts";

type Payload = Readonly<Record<string, unknown>>;

/** A job on a database: transient status, duration and effect. The final status is `active`. */
export interface DatabaseAction {
  readonly name: string;
  readonly status: DatabaseStatus;
  /** Documented or plausible duration, before division by the time scale. */
  readonly seconds: number;
  /** Returns the changed fields, apart from the status. Runs in a transaction. */
  finish?(world: World, account: string, database: Readonly<DatabaseRow>, payload: Payload): Partial<DatabaseRow>;
}

/** Starts an action. Returns the database with the transient status. The caller must check the status first. */
export function startDatabaseAction(
  world: World,
  account: string,
  database: Readonly<DatabaseRow>,
  action: DatabaseAction,
  options: { seconds?: number; payload?: Record<string, unknown> } = {},
): DatabaseRow {
  const run = world.store.nextId("database-run");
  const ms = world.clock.duration(options.seconds ?? action.seconds);
  world.jobs.plan(action.name, account, ms, { ...options.payload, database: database.id, run });
  return world.store.put(DATABASES, account, { ...database, status: action.status, run });
}

/** Returns the job that ends an action. The job does nothing if the database was deleted. */
export function databaseJob(action: DatabaseAction): JobKind {
  return {
    name: action.name,
    run(world, account, payload) {
      const database = world.store.get(DATABASES, account, Number(payload["database"]));
      if (!database || database.run !== payload["run"]) return;
      const changed = action.finish?.(world, account, database, payload);
      const rest = { status: "active", run: null, updated: world.clock.now() } as const;
      world.store.put(DATABASES, account, { ...database, ...changed, ...rest });
    },
  };
}

/** Throws 400 unless the database has one of the statuses (part 1 section 3). */
export function requireStatus(database: Readonly<DatabaseRow>, ...allowed: readonly DatabaseStatus[]): void {
  if (!allowed.includes(database.status))
    throw refused(`The database is ${database.status}: it must be ${allowed.join(" or ")}`);
}
