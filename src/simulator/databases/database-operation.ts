import type { z } from "zod";
import type { Permission } from "../server/auth/identity.ts";
import { operation, rowOf } from "../server/operation.ts";
import type { Context, Operation } from "../server/operation.ts";
import { DATABASES } from "./tables.ts";
import type { DatabaseRow } from "./tables.ts";

interface DatabaseOperation<Body> extends Pick<Operation<Body>, "method" | "summary"> {
  /** Below one database: empty, or `/credentials`. */
  readonly below: string;
  /** Scope and, for a restricted user, grant. */
  readonly access: Permission;
  /** Where the scope is another than the grant. */
  readonly scope?: Permission;
  readonly paged?: Operation["paged"];
  readonly body?: z.ZodType<Body>;
  readonly handler: (context: Context<Body>, database: Readonly<DatabaseRow>) => unknown;
}

/** An operation on one MySQL database that the caller may see. */
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
