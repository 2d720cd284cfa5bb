/*
 * Serves instances with their disks, configs, backups, actions and usage.
 * Guarantees: an instance has one job at a time, and a busy instance refuses other jobs. A deleted instance releases
 * its addresses and firewalls.
 * Imports server/, the areas catalog, images and networking, and single files of account, profile and tags.
 */
import type { z } from "zod";
import { operation, rowOf } from "../server/operation.ts";
import type { Context, Operation } from "../server/operation.ts";
import { requireIdle } from "./actions/instance-action.ts";
import { INSTANCES } from "./tables.ts";
import type { InstanceRow } from "./tables.ts";

type Inherited<Body> = Pick<Operation<Body>, "method" | "summary" | "body" | "paged" | "limit" | "params">;

interface Declared<Body> extends Inherited<Body> {
  /** Relative to `/compute/instances/{computeId}`. */
  readonly path: string;
  handler(context: Context<Body>, instance: Readonly<InstanceRow>): unknown;
}

/**
 * Declares an operation on one instance. GET requires the scope and grant to read. Other methods require the scope and
 * grant to change.
 */
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

/** Declares a POST that starts a job. The operation refuses a busy instance and returns `{}`. */
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
