/*
 * Runs actions on an instance that take time: power, moves, recovery.
 * Guarantees: the instance has the status of the running job, the event ends with the job, and a job does nothing if
 * its instance was deleted.
 * Imports the areas that compute may import.
 */
import type { Caller } from "../../server/auth/caller.ts";
import { busy, refused } from "../../server/errors.ts";
import { endEvent, recordEvent, startEvent } from "../../server/events.ts";
import type { Entity } from "../../server/events.ts";
import type { JobKind, World } from "../../server/world.ts";
import { instanceEntity } from "../instance-entity.ts";
import { DISKS, INSTANCES } from "../tables.ts";
import type { InstanceRow, InstanceStatus } from "../tables.ts";
import { notePower } from "./power-log.ts";

/** An action on an instance: transient status, duration and effect. */
export interface InstanceAction {
  /** Name of the job. Also the action of the event by default. */
  readonly name: string;
  /** Action of the event, such as `compute_boot`. Null: the action has no event. */
  readonly event?: string | null;
  /** Action of a separate event that records the acceptance. */
  readonly accepted?: string;
  /** Status of the instance during the action. */
  readonly status: InstanceStatus;
  /** Documented duration, before division by the time scale. */
  readonly seconds: number;
  /** Runs at the end of the action, in a transaction. Must set the final status. The job no longer blocks the instance. */
  finish(
    world: World,
    account: string,
    instance: Readonly<InstanceRow>,
    payload: Readonly<Record<string, unknown>>,
  ): void;
}

export interface StartOptions {
  readonly caller?: Caller;
  /** Second entity of the event. */
  readonly secondary?: Entity;
  /** Plain JSON for `finish`. */
  readonly payload?: Record<string, unknown>;
  /** Replaces the status of the action, as `seconds` replaces the duration. */
  readonly status?: InstanceStatus;
  readonly seconds?: number;
}

/** Throws 400 `Compute busy.` if a job runs on the instance or on one of its disks (not-shown section 3). */
export function requireIdle(world: World, account: string, instance: Readonly<InstanceRow>): void {
  if (instance.status === "stopped") throw refused("The instance is stopped for maintenance");
  if (isBusy(world, account, instance)) throw busy();
}

export function isBusy(world: World, account: string, instance: Readonly<InstanceRow>): boolean {
  const disks = world.store.children(DISKS, account, instance.id);
  return instance.status === "stopped" || instance.job !== null || disks.some((disk) => disk.status !== "ready");
}

/** Starts an action on an idle instance. Returns the instance with the transient status. */
export function startInstanceAction(
  world: World,
  account: string,
  instance: Readonly<InstanceRow>,
  action: InstanceAction,
  options: StartOptions = {},
): InstanceRow {
  if (instance.job) throw busy();
  const ms = world.clock.duration(options.seconds ?? action.seconds);
  const { caller, secondary, payload, status = action.status } = options;
  const about = { entity: instanceEntity(instance), ...(caller && { caller }), ...(secondary && { secondary }) };
  if (action.accepted !== undefined) recordEvent(world, account, { action: action.accepted, ...about });
  const told = action.event === undefined ? action.name : action.event;
  const event = told === null ? null : startEvent(world, account, { action: told, ...about }, ms);
  const run = world.store.nextId("instance-run");
  const id = world.jobs.plan(action.name, account, ms, { ...payload, instance: instance.id, event, run });
  const job = { id, event, run, name: action.name };
  notePower(world, account, instance.id, [instance.status, status]);
  return world.store.put(INSTANCES, account, { ...instance, status, job });
}

/** Cancels the running job without its effect, and marks its event as failed. */
export function abandonAction(world: World, account: string, instance: Readonly<InstanceRow>): InstanceRow {
  if (!instance.job) return instance;
  world.jobs.cancel(instance.job.id);
  if (instance.job.event !== null) endEvent(world, account, instance.job.event, "failed");
  return world.store.put(INSTANCES, account, { ...instance, job: null });
}

/** Returns the job that ends an action. The job does nothing if the instance was deleted. */
export function instanceJob(action: InstanceAction): JobKind {
  return {
    name: action.name,
    run(world, account, payload) {
      const { event } = payload;
      const end = (outcome: "finished" | "failed") => {
        if (typeof event === "number") endEvent(world, account, event, outcome);
      };
      const instance = world.store.get(INSTANCES, account, Number(payload["instance"]));
      if (!instance || instance.job?.run !== payload["run"]) return end("failed");
      const idle = world.store.put(INSTANCES, account, { ...instance, job: null });
      end("finished");
      action.finish(world, account, idle, payload);
    },
  };
}

/** Stores the final status and other fields of an instance. */
export function settle(
  world: World,
  account: string,
  instance: Readonly<InstanceRow>,
  fields: Partial<InstanceRow>,
): void {
  if (fields.status) notePower(world, account, instance.id, [instance.status, fields.status]);
  world.store.patch(INSTANCES, account, instance.id, { ...fields, updated: world.clock.now() });
}
