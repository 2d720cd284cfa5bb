/** Plays one cell in the world in memory. */
import { configMaps } from "../../../src/cluster/config-maps.ts";
import type { KubeObject } from "../../../src/cluster/types.ts";
import type { Kind } from "../../../src/core/kind/owned.ts";
import { withNeeds } from "../../../src/generate/example-manifests.ts";
import type { NamedExample } from "../../../src/generate/example-manifests.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import type { LedgerEntry } from "../../world/dispatcher.ts";
import { conditionOf, createWorld, namespaces, token } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import type { Candidate } from "./candidates.ts";
import type { Cell } from "./cells.ts";
import { secretNames } from "./cells.ts";
import { mergePatch, valuesAt, withValue } from "./paths.ts";
import type { Spec } from "./paths.ts";
import { accountRefFrom, places, sharingWith } from "./places.ts";
import { firstExample, plainExamples } from "./plain.ts";
import type { OwnName } from "./plain.ts";
import { isAccepted } from "./schema.ts";
import { addSecret, secretPlace } from "./secrets.ts";
import { foreignRow } from "./things.ts";

/** Requests and state after the owner restricted the sharing to the grants of the place. */
export interface Played {
  /** Requests of the object. */
  requests: readonly LedgerEntry[];
  /** Every request, also by sweeps. */
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

const readyMs = 20_000;
const calmMs = 15_000;
const actMs = 30_000;
const name = "subject";

/** Plays a cell with a spec. Before the operation, every namespace has every grant, and needed objects exist. */
export async function play(cell: Cell, candidate: Candidate): Promise<Played> {
  const { operation, place, field } = cell;
  const world = stageOf(cell);
  const { cluster, cloud, advance } = world;
  const { namespace } = places[place];
  const bytes = addSecret(world, cell, candidate, token);
  const complete = addNeeds(world, cell, candidate);
  await advance(readyMs);
  const own = complete(candidate.spec);
  const after = { ...own.spec, ...accountRefFrom(place) };
  const before = { ...complete(candidate.before).spec, ...accountRefFrom(place) };
  const adopts = operation === "adopt" || field.is === "adoption";
  const former = adopts ? await orphan(world, cell, before) : undefined;
  const management = former && { adopt: adoptionOf(cell, former) };
  const create = (spec: Spec, managed: object | undefined) =>
    cluster.create(field.kind.kind, name, spec, { namespace, ...(managed && { management: managed }) });
  if (operation === "change") create(before, adopts ? { policy: "Paused" } : undefined);
  if (operation === "delete") create(after, management);
  await advance(operation === "change" || operation === "delete" ? readyMs : 0);
  const secretBefore = secretsOf(world, cell);
  const since = cloud.ledger().length;
  cluster.patch("CloudAccount", "default", { spec: { sharing: sharingWith({ generous: false }) } }, owner);
  await advance(calmMs);
  const found = () => cluster.get(field.kind.kind, name, namespace);
  if (operation === "create" || operation === "adopt") create(after, management);
  else if (operation === "delete") {
    if (found()) cluster.delete(field.kind.kind, name, namespace);
  } else {
    const patch = { ...mergePatch(before, after), ...(management && { management: { ...management, policy: null } }) };
    cluster.patch(field.kind.kind, name, { spec: patch }, namespace);
  }
  await advance(actMs);
  world.crash();
  const all = cloud.ledger().slice(since);
  const ready = conditionOf(found(), "Ready");
  return {
    all,
    requests: all.filter(({ author }) => author === `${field.kind.kind}/${namespace}/${name}`),
    adopted: former?.id,
    own: own.names,
    bytes,
    written: secretsOf(world, cell) !== secretBefore,
    object: found(),
    reason: ready?.reason ?? "",
    message: ready?.message ?? "",
  };
}

const owner = places.owner.namespace;

/** Returns a world with the namespaces, the account of the owner and the foreign cloud object. */
function stageOf({ field }: Cell): World {
  const world = createWorld({ allowAccountActions: true, account: false, timing: { sweepMs: 10_000 } });
  const { cluster, cloud } = world;
  Object.assign(cloud.settings, { instanceMs: 1_000, databaseMs: 1_000, backupMs: 1_000 });
  for (const { namespace } of Object.values(places))
    cluster.objects.create(namespaces, { metadata: { name: namespace } });
  cluster.secret("cloud-token", { token }, owner);
  const account = { tokenSecretRef: { name: "cloud-token" }, sharing: sharingWith({ generous: true }) };
  cluster.create("CloudAccount", "default", account, { namespace: owner });
  const row = field.is === "name" ? foreignRow(field.name.of) : undefined;
  if (row) cloud.add(row.path, row.fields);
  return world;
}

interface Completed {
  spec: Spec;
  names: string[];
}

/** Creates what the spec needs. Returns the function that completes a spec with names of objects of the namespace. */
function addNeeds({ cluster }: World, { field, place }: Cell, candidate: Candidate): (spec: Spec) => Completed {
  const { namespace } = places[place];
  const makers = candidate.own.map((one, index) => ({ path: one.path, by: makersFor(one, index, candidate) }));
  const needed = withNeeds(kinds, [...candidate.needs, ...makers.flatMap(({ by }) => by)], []);
  const subject: NamedExample = { kind: field.kind, name, example: candidate.example };
  for (const { kind, name: own, example } of [...needed, subject]) {
    for (const [secret, data] of Object.entries(example.secrets ?? {}))
      if (!cluster.get("Secret", secret, namespace)) cluster.secret(secret, data, namespace);
    for (const [map, data] of Object.entries(example.configMaps ?? {}))
      if (!cluster.get("ConfigMap", map, namespace))
        cluster.objects.create(configMaps, { metadata: { name: map, namespace }, data });
    if (own === name) continue;
    const plain = plainExamples(kind as Kind).findLast((one) => one.example === example);
    const spec = { ...(plain?.spec ?? example.spec), ...accountRefFrom(place) };
    cluster.create(kind.kind, own, spec, { namespace });
  }
  return (given) => {
    const names: string[] = [];
    let spec = given;
    for (const { path, by } of makers) {
      if (valuesAt(given, path).length === 0) continue;
      const made = by.map((one) => madeBy(cluster.get(one.kind.kind, one.name, namespace)));
      const ids = made.flatMap((id) => (id === undefined ? [] : [id, Number(id)]));
      const fitting = ids.flatMap((id) => withValue(spec, path, id)).find((one) => isAccepted(field.kind, one));
      if (!fitting) continue;
      spec = fitting;
      names.push(String(valuesAt(spec, path)[0]));
    }
    return { spec, names };
  };
}

function madeBy(object: KubeObject | undefined): string | undefined {
  const { id, run } = (object?.status ?? {}) as { id?: string; run?: { made?: string } };
  return id ?? run?.made;
}

/** Returns examples that create such cloud objects, in the same parent as the spec. */
function makersFor({ owners, within }: OwnName, index: number, { spec }: Candidate): NamedExample[] {
  return owners.flatMap((owner) => {
    const maker = firstExample(owner);
    if (!maker) return [];
    const references = Object.entries((maker.kind as Kind).references ?? {});
    const [parent] = references.find(([, one]) => !("secret" in one) && one.contained) ?? [];
    const [wanted] = parent === undefined ? [] : valuesAt(spec, within ?? parent);
    const { example } = maker;
    const inParent = wanted === undefined ? example.spec : { ...example.spec, [parent!]: wanted };
    return { ...maker, name: `own-${index}-${maker.name}`, example: { ...example, spec: inParent } };
  });
}

interface Former {
  id: string;
  /** Fields of the row that identify the row. */
  filter: Record<string, string>;
}

/** Creates a cloud object as the spec wants it, and orphans it. */
async function orphan(world: World, { field, place }: Cell, spec: Spec): Promise<Former | undefined> {
  const { cluster, advance } = world;
  const { kind } = field.kind;
  const { namespace } = places[place];
  const management = field.kind.stays === undefined ? { management: { deletionPolicy: "Orphan" } } : {};
  cluster.create(kind, name, spec, { namespace, ...management });
  await advance(readyMs);
  const id = cluster.get(kind, name, namespace)?.status?.["id"] as string | undefined;
  if (cluster.get(kind, name, namespace)) cluster.delete(kind, name, namespace);
  await advance(5_000);
  if (id === undefined) return undefined;
  return { id, filter: keyOf(field.kind, spec) ?? fieldWith(field.kind, id) };
}

/** Returns the natural key of a row, without values that depend on other objects. */
function keyOf({ fields }: Kind, spec: Spec): Record<string, string> | undefined {
  const values = Object.entries(fields).flatMap(([field, { key, want }]) => {
    const value = key ? want({ spec, name, namespace: "", refs: {} }) : undefined;
    return typeof value === "string" || typeof value === "boolean" ? [[field, String(value)] as const] : [];
  });
  return values.length > 0 ? Object.fromEntries(values) : undefined;
}

/** Returns a field of rows that accepts the ID. */
function fieldWith({ wire, identify = ({ id }) => String(id) }: Kind, id: string): Record<string, string> {
  const names = Object.keys(wire.shape);
  const name = names.find((one) => identify({ [one]: id }) === id);
  return { [name ?? "id"]: id };
}

function adoptionOf({ field }: Cell, { id, filter }: Former): object {
  return field.path.includes("filter") ? { filter } : { id };
}

/** Returns the Secret of a cell that publishes a Secret, as text. */
function secretsOf({ cluster }: World, { field, value, place }: Cell): string {
  if (field.is !== "secret" || field.use === "reads") return "";
  const secret = cluster.get("Secret", secretNames[value], secretPlace({ value, place }).namespace);
  return JSON.stringify((secret as { data?: object } | undefined)?.data ?? {});
}
