import type { z } from "zod";
import { operation, rowOf } from "../server/operation.ts";
import type { Context, Operation } from "../server/operation.ts";
import type { Limit } from "../server/rate-limits.ts";
import { placeNamed } from "./places.ts";
import { BUCKETS } from "./tables.ts";
import type { BucketRow } from "./tables.ts";

/** All operations of object storage share one limit (not-shown section 1). */
export const STORAGE_LIMIT: Limit = { bucket: "object storage", requests: 750, seconds: 1 };

export const BUCKETS_PATH = "/object-storage/buckets";

interface BucketOperation<Body> extends Pick<Operation<Body>, "method" | "summary"> {
  /** Relative to the bucket, such as `/access`. Empty for the bucket. */
  readonly below: string;
  readonly body?: z.ZodType<Body>;
  readonly handler: (context: Context<Body>, bucket: Readonly<BucketRow>) => unknown;
}

/** Declares an operation of object storage. GET requires the read scope, and the rest the write scope. */
export function storageOperation<Body = unknown>(declared: Omit<Operation<Body>, "scopes">): Operation {
  const scope = declared.method === "GET" ? "read_only" : "read_write";
  return operation({ limit: STORAGE_LIMIT, ...declared, scopes: [`object_storage:${scope}`] });
}

/** Declares an operation on one bucket of the account. */
export function bucketOperation<Body = unknown>(declared: BucketOperation<Body>): Operation {
  const { method, summary, below, body, handler } = declared;
  return storageOperation<Body>({
    method,
    path: `${BUCKETS_PATH}/{clusterId}/{bucket}${below}`,
    summary,
    params: { clusterId: "text" },
    ...(body && { body }),
    handler(context) {
      const { clusterId = "", bucket = "" } = context.params;
      const place = placeNamed(context.world, clusterId)?.id ?? clusterId;
      return handler(context, rowOf(context, BUCKETS, `${place}/${bucket}`));
    },
  });
}
