/*
 * Instances and all that hangs on them: disks, configs, backups, what is done with them, and their use.
 * Guarantees: one job at a time on an instance, all others are refused as busy; a deleted one gives up what it has in networking.
 * Imports server/, and the areas of which an instance is made: catalog, images, networking; of account, profile and tags single files.
 */
import type { z } from "zod";
import { operation, rowOf } from "../server/operation.ts";
import type { Context, Operation } from "../server/operation.ts";
import { requireIdle } from "./actions/instance-action.ts";
import { INSTANCES } from "./tables.ts";
import type { InstanceRow } from "./tables.ts";

type Inherited<Body> = Pick<Operation<Body>, "method" | "summary" | "body" | "paged" | "limit" | "params">;

interface Declared<Body> extends Inherited<Body> {
  /** Below `/compute/instances/{computeId}`. */
  readonly path: string;
  handler(context: Context<Body>, instance: Readonly<InstanceRow>): unknown;
}

/** An operation below one instance: what reads wants the scope and grant to read, everything else those to change. */
export function instanceOperation<Body = unknown>(declared: Declared<Body>): Operation {
  const permission = declared.method === "GET" ? "read_only" : "read_write";
  return operation<Body>({
    ...declared,
    path: `/compute/instances/{computeId}${declared.path}`,
    scopes: [`compute:${permission}`],
    entity: { category: "compute", param: "computeId", permission },
    handler: (context) => declared.handler(context, rowOf(context, INSTANCES, context.params["computeId"])),
  });
}

/** A POST that starts a job: refused while another one runs on the instance, answered with `{}`. */
export function instanceActionOperation<Body>(
  path: string,
  summary: string,
  body: z.ZodType<Body>,
  act: (context: Context<Body>, instance: Readonly<InstanceRow>) => void,
): Operation {
  return instanceOperation<Body>({
    method: "POST",
    path,
    summary,
    body,
    handler(context, instance) {
      requireIdle(context.world, context.account, instance);
      act(context, instance);
      return {};
    },
  });
}
