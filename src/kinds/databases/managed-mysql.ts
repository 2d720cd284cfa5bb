import * as z from "zod";
import type { Readiness } from "../../core/define-kind.ts";
import { defineKind } from "../../core/define-kind.ts";
import { given, picked } from "../given.ts";
import { nameFits } from "../label.ts";
import { withPrefix } from "../networking/address.ts";
import { connectionSecret } from "./connection-secret.ts";
import { mysqlExamples } from "./mysql-examples.ts";
import { mysqlSpec, windowBody } from "./mysql-spec.ts";
import { rfc3339, timeField } from "../time.ts";

const updates = z.object({
  frequency: z.string().nullish(),
  day_of_week: z.int().nullish(),
  hour_of_day: z.int().nullish(),
  duration: z.int().nullish(),
  week_of_month: z.int().nullish(),
});

/** Managed MySQL databases: part 1, sections 2.3, 3 and 4.1; not-shown, section 2. */
export const managedMySQL = defineKind({
  kind: "ManagedMySQL",
  plural: "managedmysqls",
  shortNames: ["cpmysql"],
  doc: "A managed MySQL database, and a Secret with all that a client needs to connect. Takes 15 to 30 minutes to create.",
  columns: [
    { name: "State", jsonPath: ".status.state" },
    { name: "Version", jsonPath: ".status.version" },
    { name: "Host", jsonPath: ".status.hosts.primary", priority: 1 },
    { name: "ID", jsonPath: ".status.id" },
  ],
  spec: mysqlSpec,
  status: z.object({
    state: z.string().max(32).describe("State in the API's words, such as provisioning or active.").optional(),
    hosts: z
      .object({
        primary: z.string().max(253).describe("Host that takes writes.").optional(),
        secondary: z.string().max(253).describe("Host of the replicas.").optional(),
      })
      .describe("Where it is reached; known once it is provisioned.")
      .optional(),
    port: z.int().describe("Port to connect to.").optional(),
    version: z.string().max(64).describe("Version of the engine.").optional(),
    connectionSecretName: z.string().max(253).describe("Name of the Secret with the connection data.").optional(),
    created: timeField("When it was created.").optional(),
  }),
  wire: z.object({
    id: z.int(),
    label: z.string(),
    region: z.string(),
    type: z.string(),
    cluster_size: z.int(),
    ssl_connection: z.boolean().nullish(),
    allow_list: z.array(z.string()).nullish(),
    hosts: z.object({ primary: z.string().nullish(), secondary: z.string().nullish() }).nullish(),
    port: z.int().nullish(),
    status: z.string(),
    version: z.string().nullish(),
    updates: updates.nullish(),
    created: z.string().nullish(),
  }),
  admission: [
    nameFits({ min: 3, max: 32 }),
    {
      cel: "has(self.spec.connectionSecretName) || size(self.metadata.name) <= 242",
      message: "metadata.name is too long to name a Secret after it; set spec.connectionSecretName",
    },
  ],
  collection: () => "/databases/mysql/instances",
  lostCreate: {
    uniqueness: "enforced",
    billable: true,
    naturalKey: ({ spec, name }) => ({ label: spec.label ?? name }),
    createOnly: ({ spec }) => given({ region: spec.region, type: spec.type, cluster_size: spec.clusterSize }),
    createdField: "created",
  },
  desired: ({ spec, name }) =>
    given({
      label: spec.label ?? name,
      engine: spec.engine,
      region: spec.region,
      type: spec.type,
      cluster_size: spec.clusterSize,
      replication_type: spec.replicationType,
      encrypted: spec.encrypted,
      ssl_connection: spec.sslConnection,
      allow_list: spec.allowList && normalisedList(spec.allowList),
      updates: spec.maintenance && windowBody(spec.maintenance),
    }),
  observed: (wire) => ({
    label: wire.label,
    allow_list: normalisedList(wire.allow_list ?? []),
    updates: wire.updates
      ? {
          frequency: wire.updates.frequency ?? null,
          day_of_week: wire.updates.day_of_week ?? null,
          hour_of_day: wire.updates.hour_of_day ?? null,
          duration: wire.updates.duration ?? null,
          week_of_month: wire.updates.week_of_month ?? null,
        }
      : null,
  }),
  ready: ({ wire }) => readiness(wire),
  verbs: {
    // The window is no field of the creation; it follows as an update once the database is active.
    create: ({ spec, name }, body) => ({
      method: "POST",
      path: "/databases/mysql/instances",
      body: picked(
        body,
        Object.keys(body).filter((field) => field !== "updates"),
      ),
      action: "Create",
      note: `database ${spec.label ?? name} created`,
    }),
  },
  removable: ({ status }) =>
    ["active", "failed", "degraded"].includes(status)
      ? { ready: true }
      : {
          ready: false,
          reason: "Busy",
          message: `the service deletes a database only when it is active, failed or degraded; it is ${status}`,
          afterMs: 15_000,
        },
  publish: connectionSecret,
  report: ({ spec, name, wire }) => ({
    state: wire.status,
    ...(wire.hosts?.primary && {
      hosts: { primary: wire.hosts.primary, ...(wire.hosts.secondary && { secondary: wire.hosts.secondary }) },
      connectionSecretName: connectionSecret.name({ spec, name }),
    }),
    ...(typeof wire.port === "number" && { port: wire.port }),
    ...(wire.version && { version: wire.version }),
    created: rfc3339(wire.created),
  }),
  holdsData: true,
  examples: mysqlExamples,
});

/** Changes are accepted only by an active database: part 1, section 3. */
function readiness({
  status,
  hosts,
}: {
  status: string;
  hosts?: { primary?: string | null | undefined } | null | undefined;
}): Readiness {
  const busy = { ready: false, busy: true, afterMs: 15_000 } as const;
  switch (status) {
    case "active":
      if (hosts?.primary) return { ready: true };
      return {
        ready: false,
        reason: "Provisioning",
        message: "the service has not assigned its hosts yet",
        afterMs: 15_000,
      };
    case "provisioning":
      return {
        ...busy,
        reason: "Provisioning",
        message: "the database is being provisioned, which takes 15 to 30 minutes",
      };
    case "failed":
      return { ...busy, reason: "Failed", message: "the service says that the database failed", afterMs: 60_000 };
    case "suspended":
    case "degraded":
      return {
        ...busy,
        reason: "Busy",
        message: `the service says that the database is ${status} and accepts no change`,
        afterMs: 60_000,
      };
    default:
      return { ...busy, reason: "Updating", message: `the database is ${status.replaceAll("_", " ")}` };
  }
}

/** The service adds /32 to a bare address, and order means nothing: part 1, section 2.3. */
function normalisedList(list: string[]): string[] {
  return [...new Set(list.map(withPrefix))].sort();
}
