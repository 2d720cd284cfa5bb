import type { z } from "zod";
import type { Permission } from "../server/auth/identity.ts";
import { operation, rowOf } from "../server/operation.ts";
import type { Context, Operation } from "../server/operation.ts";
import { DATABASES } from "./tables.ts";
import type { DatabaseRow } from "./tables.ts";

interface DatabaseOperation<Body> extends Pick<Operation<Body>, "method" | "summary"> {
  /** Relative to the database, such as `/credentials`. Empty for the database. */
  readonly below: string;
  /** Required scope, and required grant of a restricted user. */
  readonly access: Permission;
  /** Overrides the required scope. */
  readonly scope?: Permission;
  readonly paged?: Operation["paged"];
  readonly body?: z.ZodType<Body>;
  readonly handler: (context: Context<Body>, database: Readonly<DatabaseRow>) => unknown;
}

/** Declares an operation on one MySQL database. The caller needs a grant on the database. */
export function databaseOperation<Body = unknown>(declared: DatabaseOperation<Body>): Operation {
  const { method, summary, below, access, scope = access, paged, body, handler } = declared;
  return operation<Body>({
    method,
    path: `/databases/mysql/instances/{instanceId}${below}`,
    summary,
    scopes: [`databases:${scope}`],
    entity: { category: "database", param: "instanceId", permission: access },
    ...(paged && { paged }),
    ...(body && { body }),
    handler: (context) => handler(context, rowOf(context, DATABASES, context.params["instanceId"])),
  });
}
