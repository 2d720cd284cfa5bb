/** Plays cells in the world in memory. */
import { configMaps } from "../../../src/cluster/config-maps.ts";
import { createWorld, namespaces, token } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import type { Candidate } from "./candidates.ts";
import type { Cell } from "./cells.ts";
import { places, sharingWith } from "./places.ts";
import { hasVerdict, playOn, subject } from "./play.ts";
import type { Host, Played } from "./play.ts";
import { foreignRow } from "./things.ts";

const stepMs = 10_000;
/** After this number of steps, an object without a verdict waits for a user. */
const mostSteps = 6;
const calmMs = 15_000;

/** Plays a cell with a spec in a fresh world. The same cell and spec give the same result. */
export function play(cell: Cell, candidate: Candidate): Promise<Played> {
  return playOn(hostOf(worldFor(cell), cell), cell, candidate);
}

const owner = places.owner.namespace;

/** Returns a world with the namespaces, the account of the owner and the foreign cloud object. */
function worldFor({ field }: Cell): World {
  const world = createWorld({ allowAccountActions: true, account: false, timing: { pollMs: 10_000 } });
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

function hostOf(world: World, { field, place: own }: Cell): Host {
  const { cluster, cloud, advance } = world;
  const accountRef = own === "owner" ? {} : { accountRef: { name: "default", namespace: owner } };
  let since = 0;
  return {
    token,
    store(of, place, name, data) {
      const { namespace } = places[place];
      const known = cluster.get(of, name, namespace);
      if (of === "Secret" && known) cluster.patch(of, name, { stringData: data }, namespace);
      else if (of === "Secret") cluster.secret(name, data, namespace);
      else if (!known) cluster.objects.create(configMaps, { metadata: { name, namespace }, data });
      return Promise.resolve();
    },
    create(place, kind, name, spec) {
      cluster.create(kind, name, { ...spec, ...accountRef }, { namespace: places[place].namespace });
      return Promise.resolve();
    },
    createAccount(place, name, secret) {
      const spec = { tokenSecretRef: { name: secret } };
      cluster.create("CloudAccount", name, spec, { namespace: places[place].namespace });
      return Promise.resolve();
    },
    get: (place, kind, name) => Promise.resolve(cluster.get(kind, name, places[place].namespace)),
    patch(place, kind, name, spec) {
      cluster.patch(kind, name, { spec }, places[place].namespace);
      return Promise.resolve();
    },
    remove(place, kind, name) {
      const { namespace } = places[place];
      if (cluster.get(kind, name, namespace)) cluster.delete(kind, name, namespace);
      return Promise.resolve();
    },
    async settle(place, objects) {
      const { namespace } = places[place];
      for (let step = 0; step < mostSteps; step += 1) {
        await advance(stepMs);
        if (objects.every(({ kind, name }) => hasVerdict(cluster.get(kind, name, namespace)))) return;
      }
    },
    async restrict() {
      since = cloud.ledger().length;
      cluster.patch("CloudAccount", "default", { spec: { sharing: sharingWith({ generous: false }) } }, owner);
      // A poll after the withdrawal is a request, too.
      await advance(calmMs);
    },
    ledger() {
      world.crash();
      const all = cloud.ledger().slice(since);
      const key = `${field.kind.kind}/${places[own].namespace}/${subject}`;
      return Promise.resolve({ all, requests: all.filter(({ author }) => author === key) });
    },
  };
}
