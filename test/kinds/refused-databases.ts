/** Specs of databases that are refused: part of refused.ts. */
import type { Refused } from "./refused.ts";

const db = { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1" };
const weekly = { frequency: "weekly", dayOfWeek: 1, hourOfDay: 0, durationHours: 1 };

const mysql: Omit<Refused, "kind">[] = [
  { because: "the engine is missing", spec: { region: db.region, type: db.type }, says: "spec.engine" },
  { because: "the engine is another one", spec: { ...db, engine: "postgresql/14.4" }, says: "must be a MySQL engine" },
  { because: "two nodes are no cluster", spec: { ...db, clusterSize: 2 }, says: "spec.clusterSize" },
  {
    because: "one node replicates nothing",
    spec: { ...db, replicationType: "asynch" },
    says: "replicationType must be none for one node",
  },
  {
    because: "three nodes replicate",
    spec: { ...db, clusterSize: 3, replicationType: "none" },
    says: "replicationType must be none for one node",
  },
  {
    because: "the list holds addresses",
    spec: { ...db, allowList: ["office"] },
    says: "must be an IP address, or a network",
  },
  { because: "the list has no duplicates", spec: { ...db, allowList: ["192.0.2.1", "192.0.2.1"] }, says: "uplicate" },
  {
    because: "a monthly window has a week",
    spec: { ...db, maintenance: { ...weekly, frequency: "monthly" } },
    says: "frequency monthly needs weekOfMonth: a number from 1 to 4",
  },
  {
    because: "a weekly window has none",
    spec: { ...db, maintenance: { ...weekly, weekOfMonth: 1 } },
    says: "frequency monthly needs weekOfMonth: a number from 1 to 4",
  },
  {
    because: "a week has seven days",
    spec: { ...db, maintenance: { ...weekly, dayOfWeek: 0 } },
    says: "spec.maintenance.dayOfWeek",
  },
  {
    because: "the service accepts a window of at most three hours",
    spec: { ...db, maintenance: { ...weekly, durationHours: 4 } },
    says: "spec.maintenance.durationHours",
  },
  {
    because: "a Secret's name is in lower case",
    spec: { ...db, connectionSecretName: "Shop" },
    says: "spec.connectionSecretName",
  },
];

export const refusedDatabases = { ManagedMySQL: mysql };
