/*
 * What is done with an instance and takes time: power, moves, recovery.
 * Guarantees: the status shows the job that runs, its event ends with it, and a job of an instance that vanished does nothing.
 * Imports what compute may.
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

/** A job on an instance: what it shows meanwhile, how long it takes, and what is true at its end. */
export interface InstanceAction {
  /** Names its job, and its event where nothing else does. */
  readonly name: string;
  /** Action of its event, such as `compute_boot`; null: it tells none. */
  readonly event?: string | null;
  /** An event that tells at once that it was accepted. */
  readonly accepted?: string;
  /** Status of the instance while it runs. */
  readonly status: InstanceStatus;
  /** Documented duration; the time scale divides it. */
  readonly seconds: number;
  /** Runs when the time is over, inside a transaction; must set the final status. The instance is free for a next action. */
  finish(
    world: World,
    account: string,
    instance: Readonly<InstanceRow>,
    payload: Readonly<Record<string, unknown>>,
  ): void;
}

export interface StartOptions {
  readonly caller?: Caller;
  /** What the event names besides the instance. */
  readonly secondary?: Entity;
  /** Handed to `finish`; plain JSON. */
  readonly payload?: Record<string, unknown>;
  /** In place of the action's own. */
  readonly status?: InstanceStatus;
  readonly seconds?: number;
}

/** 400 `Compute busy.` while a job runs on the instance or on one of its disks (not-shown section 3). */
export function requireIdle(world: World, account: string, instance: Readonly<InstanceRow>): void {
  if (instance.status === "stopped") throw refused("The instance is stopped for maintenance");
  if (isBusy(world, account, instance)) throw busy();
}

export function isBusy(world: World, account: string, instance: Readonly<InstanceRow>): boolean {
  const disks = world.store.children(DISKS, account, instance.id);
  return instance.status === "stopped" || instance.job !== null || disks.some((disk) => disk.status !== "ready");
}

/** Starts an action on an idle instance; answers the instance with its transient status. */
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

/** Ends the running job, if there is one, without its effect: its event has failed. */
export function abandonAction(world: World, account: string, instance: Readonly<InstanceRow>): InstanceRow {
  if (!instance.job) return instance;
  world.jobs.cancel(instance.job.id);
  if (instance.job.event !== null) endEvent(world, account, instance.job.event, "failed");
  return world.store.put(INSTANCES, account, { ...instance, job: null });
}

/** The job that ends an action. Nothing happens to an instance that vanished meanwhile. */
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

/** The instance comes to rest in this status. */
export function settle(
  world: World,
  account: string,
  instance: Readonly<InstanceRow>,
  fields: Partial<InstanceRow>,
): void {
  if (fields.status) notePower(world, account, instance.id, [instance.status, fields.status]);
  world.store.patch(INSTANCES, account, instance.id, { ...fields, updated: world.clock.now() });
}
