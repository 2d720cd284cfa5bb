/** Plays cells on a real API server with installed roles and policies, and judges by the ledger of the simulator. */
import type { KubeObject } from "../../../src/cluster/types.ts";
import type { LedgerEntry as SimulatorEntry } from "../../../src/simulator/server/ledger/ledger.ts";
import type { JsonObject } from "../../../src/api/types.ts";
import type { Condition } from "../../../src/core/kind/status-schema.ts";
import type { LedgerEntry } from "../../world/dispatcher.ts";
import type { Installation } from "../support/installation.ts";
import type { Stage, Tenant } from "../support/stage.ts";
import type { Candidate } from "./candidates.ts";
import type { Cell } from "./cells.ts";
import type { Spec } from "./paths.ts";
import { places } from "./places.ts";
import type { Grant, PlaceName } from "./places.ts";
import { hasVerdict, playOn, subject } from "./play.ts";
import type { Host, Played } from "./play.ts";

/** Longest wait for a verdict. An object without a verdict has had the time to send requests. */
const verdictMs = 30_000;
const pollMs = 150;

/** Plays a cell with a spec in fresh namespaces, with a fresh account of the cloud. */
export async function playOnCluster(installation: Installation, cell: Cell, candidate: Candidate): Promise<Played> {
  const stage = await installation.stage();
  try {
    return await playOn(hostOf(installation, stage, cell), cell, candidate);
  } finally {
    await stage.close();
  }
}

function tenantAt({ shop, teamB, teamC }: Stage, place: PlaceName): Tenant {
  if (place === "owner") return shop;
  return place === "foreign" ? teamC : teamB;
}

function hostOf({ simulator }: Installation, stage: Stage, cell: Cell): Host {
  const { admin, cloud, account } = stage;
  const unique = uniqueIn(cloud.account);
  const share = (place: PlaceName, grants: readonly Grant[]) => {
    const { namespace } = tenantAt(stage, place);
    const lists = Object.fromEntries(
      (["namespaces", "existing", "accountWide"] as const).map((list) => [
        list,
        grants.includes(list) ? [namespace] : list === "namespaces" ? [] : null,
      ]),
    );
    return admin.patch(account, { spec: { sharing: lists } });
  };
  let since = 0;
  return {
    token: cloud.token,
    async store(of, place, name, data) {
      const { namespace } = tenantAt(stage, place);
      const values = of === "Secret" ? { stringData: data } : { data };
      await admin.apply({ apiVersion: "v1", kind: of, metadata: { name, namespace }, ...values });
    },
    async create(place, kind, name, spec) {
      if (place !== "owner" && since === 0) await share(place, ["namespaces", "existing", "accountWide"]);
      const author = name === subject && isEditors(cell) ? tenantAt(stage, place).editor : admin;
      await author.apply(tenantAt(stage, place).object(kind, name, unique(kind, name, spec))).catch(ifAdmitted);
    },
    async createAccount(place, name, secret) {
      const { namespace } = tenantAt(stage, place);
      const spec = { tokenSecretRef: { name: secret } };
      const { apiVersion } = account as KubeObject;
      await admin.apply({ apiVersion, kind: "CloudAccount", metadata: { name, namespace }, spec });
    },
    get: (place, kind, name) => admin.get(placed(stage, place, kind, name)),
    async patch(place, kind, name, spec) {
      const author = isEditors(cell) ? tenantAt(stage, place).editor : admin;
      await author.patch(placed(stage, place, kind, name), { spec: unique(kind, name, spec) }).catch(ifAdmitted);
    },
    async remove(place, kind, name) {
      const object = placed(stage, place, kind, name);
      if (await admin.get(object)) await admin.remove(object);
    },
    async settle(place, objects) {
      await Promise.all(
        objects.map(({ kind, name }) => untilVerdict(() => admin.get(placed(stage, place, kind, name)))),
      );
    },
    async restrict(place) {
      since = cloud.mark();
      if (place !== "owner") await share(place, places[place].grants);
    },
    ledger() {
      const entries = simulator.control.ledger({ account: cloud.account, sinceId: since });
      const all = entries.filter((entry) => entry.token === "operator").map(plain);
      // The reconcile of a CloudAccount reads these paths.
      const isOfAccount = ({ method, path }: LedgerEntry) => method === "GET" && /^\/(account|profile)/.test(path);
      const isOwn = (entry: LedgerEntry) => (cell.field.is === "reach" ? !isOfAccount(entry) : entry.method !== "GET");
      return Promise.resolve({ all, requests: all.filter(isOwn) });
    },
  };
}

/** Returns specs with domains and buckets that no further account has. The cloud refuses a second domain or bucket of a name. */
function uniqueIn(account: string) {
  return (kind: string, name: string, spec: Spec): Spec => {
    const own = JSON.parse(JSON.stringify(spec).replaceAll("example.org", `${account}.example.org`)) as Spec;
    const isLabelled = kind === "Bucket" && !("management" in spec && Object.keys(spec).length === 1);
    const { label = name } = own as { label?: string };
    return isLabelled ? { ...own, label: `${label}-${account}` } : own;
  };
}

/** Returns true if the author of the object has the editor role only. The author may not read the Secret. */
function isEditors({ field, value }: Cell): boolean {
  return field.is === "secret" && value !== "own";
}

function placed(stage: Stage, place: PlaceName, kind: string, name: string): object {
  const { namespace } = tenantAt(stage, place);
  return { kind, metadata: { name, namespace } };
}

/** Throws any error except a refusal by the API server. */
function ifAdmitted(error: unknown): void {
  const { status } = error as { status?: number };
  if (status === undefined || ![403, 404, 422].includes(status)) throw error;
}

function plain({ id, method, path, body, status, token, receivedAt }: SimulatorEntry): LedgerEntry {
  return {
    number: id,
    atMs: receivedAt,
    process: 1,
    method,
    path: path.replace(/^\/v4(beta)?/, ""),
    body: parsed(body),
    content: Buffer.from(body).toString("base64"),
    token: token ?? "",
    applied: true,
    status: status ?? undefined,
  };
}

function parsed(body: string): JsonObject | undefined {
  try {
    return JSON.parse(body) as JsonObject;
  } catch {
    return undefined;
  }
}

/** Returns true for an object whose present generation waits for a second object. The second object had a verdict before. */
function isWaiting(object: KubeObject): boolean {
  const { observedGeneration, conditions = [] } = (object.status ?? {}) as {
    observedGeneration?: number;
    conditions?: Condition[];
  };
  if (observedGeneration !== object.metadata.generation) return false;
  return conditions.some(({ type, reason }) => type === "Ready" && reason.startsWith("WaitingFor"));
}

async function untilVerdict(read: () => Promise<KubeObject | undefined>): Promise<void> {
  const end = Date.now() + verdictMs;
  while (Date.now() < end) {
    const object = await read();
    if (hasVerdict(object) || (object?.metadata.name === subject && isWaiting(object))) return;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
