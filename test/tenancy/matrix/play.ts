/** Plays one cell on a host: the world in memory, or a real API server with a simulator. */
import type { KubeObject } from "../../../src/cluster/types.ts";
import type { Condition } from "../../../src/core/kind/status-schema.ts";
import type { LedgerEntry } from "../../world/dispatcher.ts";
import type { Candidate } from "./candidates.ts";
import { secretNames } from "./cells.ts";
import type { Cell } from "./cells.ts";
import { adoptionOf } from "./former.ts";
import { createNeeds } from "./needs.ts";
import { mergePatch } from "./paths.ts";
import type { Spec } from "./paths.ts";
import type { PlaceName } from "./places.ts";
import { addSecret, secretPlace } from "./secrets.ts";

/** Name of the object of a cell. */
export const subject = "subject";

/** A user of the API server in any namespace. */
export interface Host {
  /** Token of the CloudAccount of the owner. */
  token: string;
  /** Creates a Secret or a ConfigMap, or replaces the values of a Secret. */
  store: (of: "Secret" | "ConfigMap", place: PlaceName, name: string, data: Record<string, string>) => Promise<void>;
  /** Creates an object; without effect if the API server refuses the object. `spec.accountRef` names the account of the owner. */
  create: (place: PlaceName, kind: string, name: string, spec: Spec) => Promise<void>;
  /** Creates a CloudAccount with the token in a Secret. */
  createAccount: (place: PlaceName, name: string, secret: string) => Promise<void>;
  get: (place: PlaceName, kind: string, name: string) => Promise<KubeObject | undefined>;
  /** Without effect if the API server refuses the patch. */
  patch: (place: PlaceName, kind: string, name: string, spec: Spec) => Promise<void>;
  remove: (place: PlaceName, kind: string, name: string) => Promise<void>;
  /** Waits until the operator has a verdict about each object. */
  settle: (place: PlaceName, objects: readonly { kind: string; name: string }[]) => Promise<void>;
  /** Restricts the sharing of the account to the grants of the places. The ledger begins. */
  restrict: (place: PlaceName) => Promise<void>;
  /** Ends the cell. Returns the requests since `restrict`: by the object, and by polls and further objects. */
  ledger: () => Promise<Pick<Played, "requests" | "all">>;
}

/** Requests and state after the owner restricted the sharing to the grants of the place. */
export interface Played {
  /** Requests of the object. */
  requests: readonly LedgerEntry[];
  /** Every request, also by polls. */
  all: readonly LedgerEntry[];
  /** ID of the cloud object to adopt. */
  adopted: string | undefined;
  /** Names of cloud objects of the namespace in the spec. */
  own: readonly string[];
  /** Bytes of the Secret. */
  bytes: readonly string[];
  /** The Secret or ConfigMap changed, or appeared. */
  written: boolean;
  /** Undefined after the removal of the object. */
  object: KubeObject | undefined;
  reason: string;
  message: string;
}

/** Plays a cell with a spec. Before the operation, every namespace has every grant, and needed objects exist. */
export async function playOn(host: Host, cell: Cell, candidate: Candidate): Promise<Played> {
  const { operation, place, field } = cell;
  const { kind } = field.kind;
  const bytes = await addSecret(host, cell, candidate);
  const complete = await createNeeds(host, cell, candidate);
  const { spec: after, names: own } = await complete(candidate.spec);
  const { spec: before } = await complete(candidate.before);
  const adopts = operation === "adopt" || field.is === "adoption";
  const adopted = adopts ? await orphan(host, cell, before) : undefined;
  const adopt = adopted === undefined ? undefined : adoptionOf(field, adopted, before);
  const adopting = { ...after, ...(adopt && { management: { adopt } }) };
  const paused = { ...before, ...(adopts && { management: { policy: "Paused" } }) };
  if (operation === "change" || operation === "delete") {
    await host.create(place, kind, subject, operation === "change" ? paused : adopting);
    await host.settle(place, [{ kind, name: subject }]);
  }
  const secretBefore = await secretOf(host, cell);
  await host.restrict(place);
  const unpaused = { ...mergePatch(before, after), ...(adopt && { management: { adopt, policy: null } }) };
  if (operation === "change") await host.patch(place, kind, subject, unpaused);
  else if (operation === "delete") await host.remove(place, kind, subject);
  else await host.create(place, kind, subject, adopting);
  await host.settle(place, [{ kind, name: subject }]);
  const ledger = await host.ledger();
  const object = await host.get(place, kind, subject);
  const ready = readyOf(object);
  const written = (await secretOf(host, cell)) !== secretBefore;
  return {
    ...ledger,
    adopted,
    own,
    bytes,
    written,
    object,
    reason: ready?.reason ?? "",
    message: ready?.message ?? "",
  };
}

/** Returns true if the operator decided about the present generation, or if the object is removed. */
export function hasVerdict(object: KubeObject | undefined): boolean {
  if (!object) return true;
  const { observedGeneration, conditions = [] } = (object.status ?? {}) as {
    observedGeneration?: number;
    conditions?: Condition[];
  };
  if (observedGeneration !== object.metadata.generation) return false;
  const isPaused = conditions.some(({ reason }) => reason === "Paused");
  return isPaused || conditions.some(({ type, status }) => status === "True" && ["Ready", "Stalled"].includes(type));
}

function readyOf(object: KubeObject | undefined): Condition | undefined {
  const conditions = (object?.status?.["conditions"] ?? []) as Condition[];
  return conditions.find(({ type }) => type === "Ready");
}

/** Creates a cloud object as the spec wants it, and orphans it. Returns the ID. */
async function orphan(host: Host, { field, place }: Cell, spec: Spec): Promise<string | undefined> {
  const { kind, stays } = field.kind;
  const management = stays === undefined ? { management: { deletionPolicy: "Orphan" } } : {};
  await host.create(place, kind, subject, { ...spec, ...management });
  await host.settle(place, [{ kind, name: subject }]);
  const created = await host.get(place, kind, subject);
  await host.remove(place, kind, subject);
  await host.settle(place, [{ kind, name: subject }]);
  return created?.status?.["id"] as string | undefined;
}

/** Returns the values of the Secret to publish, as text. */
async function secretOf(host: Host, { field, value, place }: Cell): Promise<string> {
  if (field.is !== "secret" || field.use === "reads") return "";
  const secret = await host.get(secretPlace({ value, place }), "Secret", secretNames[value]);
  return JSON.stringify((secret as { data?: object } | undefined)?.data ?? {});
}
