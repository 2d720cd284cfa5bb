import * as z from "zod";
import { requireSold } from "../catalog/offers.ts";
import { REGIONS } from "../catalog/tables.ts";
import { COMPUTE_TYPES } from "../compute/catalogs/tables.ts";
import { grantToCreator } from "../server/auth/auth.ts";
import { ACCOUNTS } from "../server/auth/identity.ts";
import { forbidden, invalid } from "../server/errors.ts";
import { startEvent } from "../server/events.ts";
import { operation } from "../server/operation.ts";
import type { Context } from "../server/operation.ts";
import { SHARED } from "../server/store/store.ts";
import { optional, text } from "../server/wire.ts";
import { startDatabaseAction } from "./database-action.ts";
import { DEFAULT_UPDATES, allowList, engineConfig, replicationOf } from "./fields.ts";
import { PROVISION, provisioningSeconds } from "./lifecycle.ts";
import { databaseEntity, presentMySQL } from "./present.ts";
import { DATABASES, ENGINES } from "./tables.ts";
import type { DatabaseRow } from "./tables.ts";

const createBody = z.object({
  allow_list: allowList,
  cluster_size: optional(z.literal([1, 3], "Must be 1 or 3")),
  encrypted: optional(z.boolean()),
  engine: z.string(),
  engine_config: engineConfig,
  label: text(3, 32),
  region: z.string(),
  replication_type: optional(z.enum(["none", "asynch", "semi_synch"])),
  ssl_connection: optional(z.boolean()),
  type: z.string(),
});

/** Creates a MySQL database (part 1 section 4.1). Provisioning takes 15 to 30 minutes. */
export const createMySQL = operation({
  method: "POST",
  path: "/databases/mysql/instances",
  summary: "Create a MySQL database",
  scopes: ["databases:read_write"],
  grant: "add_databases",
  body: createBody,
  handler(context) {
    requireCustomer(context);
    const { world, account, caller } = context;
    const database = newDatabase(context);
    grantToCreator(context, "database", database.id);
    const seconds = provisioningSeconds(database.id);
    const about = { action: "database_create", entity: databaseEntity(database), caller };
    const event = startEvent(world, account, about, world.clock.duration(seconds));
    return presentMySQL(world, startDatabaseAction(world, account, { ...database, event }, PROVISION, { seconds }));
  },
});

/** Throws 400 if another database of the account has the label. */
export function requireUniqueLabel({ world, account }: Context, label: string, own?: number): void {
  const taken = world.store
    .find(DATABASES, account, "label", label)
    .some((row) => row.label === label && row.id !== own);
  if (taken) throw invalid("label", "Label must be unique");
}

/** Throws 403 unless the account has the capability Managed Databases (part 1 section 1). */
function requireCustomer({ world, account }: Context): void {
  const { capabilities = [] } = world.store.get(ACCOUNTS, SHARED, account) ?? {};
  if (!capabilities.includes("Managed Databases"))
    throw forbidden("Managed Databases are not available to this account");
}

function newDatabase(context: Context<z.output<typeof createBody>>): DatabaseRow {
  const { world, body, now } = context;
  requireUniqueLabel(context, body.label);
  const clusterSize = body.cluster_size ?? 1;
  return {
    ...placement(context),
    id: world.store.nextId("database", 101),
    label: body.label,
    engine: "mysql",
    cluster_size: clusterSize,
    replication_type: replicationOf(clusterSize, body.replication_type),
    encrypted: body.encrypted ?? false,
    ssl_connection: body.ssl_connection ?? true,
    allow_list: body.allow_list ?? [],
    updates: DEFAULT_UPDATES,
    status: "provisioning",
    port: 3306,
    engine_config: body.engine_config ?? {},
    username: "dbadmin",
    password: null,
    created: now,
    updated: now,
    run: null,
  };
}

function placement({ world, body }: Context<z.output<typeof createBody>>) {
  const engine = world.store.get(ENGINES, SHARED, body.engine);
  if (engine?.engine !== "mysql") throw invalid("engine", "engine is not valid");
  const region = world.store.get(REGIONS, SHARED, body.region);
  if (!region?.capabilities.includes("Managed Databases")) throw invalid("region", "region is not valid");
  const type = world.store.get(COMPUTE_TYPES, SHARED, body.type);
  if (!type) throw invalid("type", "type is not valid");
  requireSold(world, region, type);
  return { version: engine.version, region: region.id, type: type.id };
}
