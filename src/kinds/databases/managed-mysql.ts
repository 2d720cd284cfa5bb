import * as z from "zod";
import { defineOwned } from "../../core/kind/owned.ts";
import { told } from "../given.ts";
import { labelField, nameFits } from "../label.ts";
import { openDatabase } from "../networking/exposure.ts";
import { addressReference, addressStatus, networksOf, reportAddresses } from "../networking/address-ref.ts";
import { publishedNameRules } from "../secret-name.ts";
import { connectionNaming, connectionSecret, secondaryOf } from "./connection-secret.ts";
import { mysqlExamples } from "./mysql-examples.ts";
import { normalisedList, unlistedNetworks } from "./allow-list.ts";
import { allowedOf, engineOf } from "./mysql-export.ts";
import { mysqlSpec, windowBody, windowWire } from "./mysql-spec.ts";
import { readiness, removable } from "./mysql-state.ts";
import { monthlyPrice, priceList } from "../prices.ts";
import { optionalTime, rfc3339 } from "../time.ts";
import { whole } from "../wire.ts";
import { optionalText } from "../text.ts";

const text = z.string().nullish();

/** Managed MySQL databases: part 1, sections 2.3, 3 and 4.1; not-shown, section 2. */
export const managedMySQL = defineOwned({
  kind: "ManagedMySQL",
  plural: "managedmysqls",
  shortNames: ["cpmysql"],
  noun: "MySQL database",
  doc: "A managed MySQL database, and a Secret with the connection data. The cloud needs 15 to 30 minutes to create a database.",
  columns: [
    { name: "State", jsonPath: ".status.state" },
    { name: "Type", jsonPath: ".status.type" },
    { name: "Region", jsonPath: ".status.region" },
    { name: "Version", jsonPath: ".status.version" },
    { name: "Secret", jsonPath: ".status.connectionSecretName" },
    { name: "Host", jsonPath: ".status.hosts.primary", long: true },
    { name: "Wanted Type", jsonPath: ".spec.type", priority: 1 },
    { name: "Wanted Region", jsonPath: ".spec.region", priority: 1 },
    { name: "ID", jsonPath: ".status.id" },
  ],
  spec: mysqlSpec,
  status: z.object({
    state: optionalText(32, "State in the cloud API, such as provisioning or active."),
    region: optionalText(64, "Region of the database."),
    type: optionalText(64, "Type of the nodes."),
    hosts: z
      .object({
        primary: optionalText(253, "Host that accepts writes."),
        secondary: optionalText(253, "Host of the replicas."),
      })
      .describe("Hosts of the database. Known after the provisioning.")
      .optional(),
    port: z.int().describe("Port of the database on its hosts.").optional(),
    version: optionalText(64, "Version of the engine."),
    connectionSecretName: optionalText(253, "Name of the Secret with the connection data."),
    created: optionalTime("Creation time in the cloud."),
    ...addressStatus,
  }),
  wire: z.object({
    id: whole(),
    label: z.string(),
    region: z.string(),
    type: z.string(),
    cluster_size: whole(),
    replication_type: text,
    encrypted: z.boolean().nullish(),
    ssl_connection: z.boolean().nullish(),
    allow_list: z.array(z.string()).nullish(),
    hosts: z.object({ primary: text, secondary: text, standby: text }).nullish(),
    port: whole().nullish(),
    status: z.string(),
    version: text,
    updates: windowWire.nullish(),
    created: text,
  }),
  risks: [openDatabase],
  admission: [nameFits({ min: 3, max: 32 }), ...publishedNameRules(connectionNaming)],
  references: { allowRefs: { ...addressReference, from: (spec) => spec.allowRefs } },
  reach: "own",
  listPath: () => "/databases/mysql/instances",
  fields: {
    label: labelField,
    engine: { desired: ({ spec }) => spec.engine, exported: engineOf, on: "create" },
    region: { desired: ({ spec }) => spec.region, observed: (wire) => wire.region, fixed: true },
    type: { desired: ({ spec }) => spec.type, observed: (wire) => wire.type, fixed: true },
    cluster_size: { desired: ({ spec }) => spec.clusterSize, observed: (wire) => wire.cluster_size, fixed: true },
    replication_type: {
      desired: ({ spec }) => spec.replicationType,
      observed: (wire) => wire.replication_type ?? undefined,
      on: "create",
    },
    encrypted: { desired: ({ spec }) => spec.encrypted, observed: (wire) => wire.encrypted ?? undefined, on: "create" },
    ssl_connection: {
      desired: ({ spec }) => spec.sslConnection,
      observed: (wire) => wire.ssl_connection ?? undefined,
      on: "create",
    },
    allow_list: {
      specField: ["allowList", "allowRefs"],
      desired: ({ spec: { allowList, allowRefs }, refs }) =>
        (allowList ?? allowRefs) && normalisedList([...(allowList ?? []), ...networksOf(refs.allowRefs)]),
      observed: (wire) => normalisedList(wire.allow_list ?? []),
      concerns: "access",
      adds: ({ spec: { allowList = [] }, refs }) => {
        const listed = new Set(normalisedList(allowList));
        return normalisedList(networksOf(refs.allowRefs)).filter((one) => !listed.has(one));
      },
      keepsOthers: ({ spec: { allowList, allowRefs } }) => allowList === undefined && allowRefs !== undefined,
    },
    // The create request has no such field. The operator sends an update when the database is active.
    updates: {
      specField: "maintenance",
      desired: ({ spec }) => spec.maintenance && windowBody(spec.maintenance),
      observed: (wire) => wire.updates,
      concerns: "none",
      on: "update",
    },
  },
  exports: { spec: ({ told, find }) => allowedOf(told, find) },
  unique: "enforced",
  // The cloud API has no price list for databases. The nodes have types from the list of instances.
  monthly: {
    list: priceList,
    observed: ({ type, region, cluster_size: nodes }, list) => monthlyPrice(list, { type, region, nodes }),
    desired: ({ type, region, clusterSize: nodes }, list) => monthlyPrice(list, { type, region, nodes }),
  },
  billable: true,
  createdField: "created",
  ready: ({ wire }) => readiness(wire),
  removable,
  secret: connectionSecret,
  unlisted: ({ spec, refs, wire }) => unlistedNetworks(spec, networksOf(refs.allowRefs), wire.allow_list),
  report: ({ spec, refs, name, wire }) => ({
    ...reportAddresses(refs.allowRefs),
    state: wire.status,
    region: wire.region,
    type: wire.type,
    ...(wire.hosts?.primary && {
      hosts: told({ primary: wire.hosts.primary, secondary: secondaryOf(wire.hosts) }),
      connectionSecretName: connectionSecret.name({ spec, name }),
    }),
    ...told({ port: wire.port, version: wire.version, created: rfc3339(wire.created) }),
  }),
  holdsData: true,
  loses: "the database with its data and its backups",
  examples: mysqlExamples,
});
