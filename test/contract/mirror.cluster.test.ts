/** The shape `mirror`, on the real API server and the simulator: the catalogs of the cloud as cluster-scoped objects. */
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type { KubeObject } from "../../src/cluster/types.ts";
import { resourceOf } from "../../src/core/kind/resource.ts";
import { kinds, mirrors } from "../../src/kinds/registry.ts";
import type { OperatorOptions } from "../../src/operator.ts";
import { SHARED } from "../../src/simulator/server/store/store.ts";
import { must } from "../../tools/demo/install.ts";
import { createJumpingClock } from "../campaigns/support/jumping-clock.ts";
import type { JumpingClock } from "../campaigns/support/jumping-clock.ts";
import type { OwnControlPlane } from "../support/control-plane.ts";
import { startControlPlane } from "../support/control-plane.ts";
import { installDefinitions } from "../support/definitions.ts";
import { conditionOf, startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";

const hour = 3_600_000;
const plurals = new Set(mirrors.map(({ plural }) => plural));
const owned = kinds.map(({ plural }) => plural);

let cluster: OwnControlPlane;
// Catalogs belong to the cluster: the tests of this file have one of their own, and run one after the other.
beforeAll(async () => {
  cluster = await startControlPlane({ auditLog: true });
  await installDefinitions(cluster.kubectl);
});
afterAll(() => cluster.stop());

interface Kept extends World {
  clock: JumpingClock;
  /** The requests of this world's operators for objects of catalogs since the mark, as `verb resource name`. */
  requests: (verbs: RegExp, since?: Date) => string[];
  /** What its operators have watched, as far as the watches have ended. */
  watched: () => string[];
  lists: (path: string) => number;
  region: (name?: string) => Promise<KubeObject | undefined>;
}

/** A world whose operator keeps catalogs; they are there when it is handed out. */
async function withCatalogs(operator: Partial<OperatorOptions> = {}): Promise<Kept> {
  const clock = createJumpingClock();
  const begun = new Date();
  const options = { namespaces: undefined, catalogs: { everyMs: hour }, clock, ...operator };
  const world = await startWorld(cluster, { operator: options });
  onTestFinished(() => world.stop());
  // A watch is written to the log when it has ended: those of the world before may come any time.
  const own = (since: Date) =>
    cluster.auditLog(since).filter(({ userAgent }) => userAgent.startsWith("cloud-platform-operator"));
  const kept: Kept = {
    ...world,
    clock,
    requests: (verbs, since = begun) =>
      own(since)
        .filter(({ verb, resource }) => plurals.has(resource.split("/")[0] ?? "") && verbs.test(verb))
        .map(({ verb, resource, name = "" }) => `${verb} ${resource} ${name}`),
    watched: () => own(begun).flatMap(({ verb, resource }) => (verb === "watch" ? [resource] : [])),
    lists: (path) => world.simulator.control.ledger({ path: `/v4${path}` }).length,
    region: (name = "us-east") => world.get("Region", name),
  };
  return kept;
}

const writing = /create|update|patch|delete/;

/** Resolves when nothing has been written for a moment, once the catalogs were listed. */
async function settled(world: Kept, lists = 1): Promise<void> {
  await vi.waitFor(() => expect(world.lists("/betas")).toBe(lists), { timeout: 60_000, interval: 100 });
  let before = -1;
  await vi.waitFor(
    () => {
      const now = world.requests(writing).length;
      const quiet = now === before && world.operator().queue.depth().active === 0;
      before = now;
      expect(quiet).toBe(true);
    },
    { timeout: 60_000, interval: 500 },
  );
}

/** All that the operator does in an hour of the moved clock; the catalog of those that are listed last is `/betas`. */
async function anHourLater(world: Kept): Promise<void> {
  const before = world.lists("/betas");
  world.clock.advance(hour);
  await settled(world, before + 1);
}

test("they appear, with a name, columns for people and conditions for tools", async () => {
  const world = await withCatalogs();
  await settled(world);
  const rows = await must(cluster.kubectl, ["get", "cpregions"]);
  expect(rows).toMatch(/^NAME +LABEL +COUNTRY +STATE +AGE +READY +REASON +MESSAGE\n/);
  expect(rows).toMatch(
    /^us-east +Newark, NJ +us +ok +\d+s +True +Listed +The object shows the entry in the catalog of the cloud$/m,
  );
  expect(await must(cluster.kubectl, ["get", "cpregions", "us-east", "-o", "wide"])).toMatch(/ [\w ,]{39}… /);
  expect(await must(cluster.kubectl, ["get", "cptypes", "g6-standard-1"])).toMatch(
    /^g6-standard-1 +standard +1 +2048 +/m,
  );
  expect(await must(cluster.kubectl, ["get", "cpengines"])).toMatch(
    /^mysql-8\.0\.30 +mysql\/8\.0\.30 +mysql +8\.0\.30 /m,
  );
  expect(await must(cluster.kubectl, ["get", "cpimages"])).toMatch(
    /^compute-debian12 +compute\/debian12 +Debian 12 +1500 +false /m,
  );
  expect(await must(cluster.kubectl, ["get", "cpkernels"])).toMatch(/^compute-grub2 +compute\/grub2 +2\.06 +x86_64 /m);
  expect(await must(cluster.kubectl, ["get", "cpclusters"])).toMatch(/^us-east-1 +us-east +available +/m);
  expect(await must(cluster.kubectl, ["get", "cpbetas"])).toMatch(/^fast-disks +Fast disks +false +/m);
  expect(await must(cluster.kubectl, ["get", "cloudplatform", "-A"])).not.toContain("us-east");
  const wait = ["wait", "region/us-east", "computetype/g6-standard-1", "--for=condition=Ready", "--timeout=5s"];
  await must(cluster.kubectl, wait);
  const { status, metadata } = (await world.region()) ?? {};
  expect(status?.["observedGeneration"]).toBe(metadata?.generation);
});

test("while nothing changes, an hour is one list and no write, and neither is a restart", async () => {
  const world = await withCatalogs();
  await settled(world);
  const from = new Date();
  for (let hours = 0; hours < 2; hours += 1) await anHourLater(world);
  // The account reads the types once more, to test the brand word.
  expect(["/regions", "/compute/types", "/betas"].map(world.lists)).toEqual([3, 4, 3]);
  await world.restartOperator();
  await settled(world, 4);
  expect(world.requests(writing, from)).toEqual([]);
});

test("a row that changed is one patch; a row that is gone is one deletion, though not while the list fails", async () => {
  const world = await withCatalogs();
  await settled(world);
  const { control } = world.simulator;
  const from = new Date();
  control.change("region", "us-east", { status: "outage" }, SHARED);
  await anHourLater(world);
  expect(world.requests(writing, from)).toEqual(["patch regions/status us-east"]);
  expect((await world.region())?.status?.["state"]).toBe("outage");
  control.remove("region", "us-west", SHARED);
  control.faults.add({ kind: "html", path: "/regions" });
  await anHourLater(world);
  expect(world.requests(writing, from)).toHaveLength(1);
  control.faults.clear();
  await vi.waitFor(
    async () => {
      world.clock.advance(300_000);
      expect(await world.region("us-west")).toBeUndefined();
    },
    { timeout: 20_000, interval: 500 },
  );
  expect(world.requests(writing, from).slice(1)).toEqual(["delete regions us-west"]);
});

test("what people did to an object is put right without a list, and what is not the operator's stays as it is", async () => {
  const theirs = { apiVersion: "cloudplatform.dev/v1alpha1", kind: "Region", metadata: { name: "eu-west" } };
  const world = await withCatalogs();
  await settled(world);
  await world.stopOperator();
  await must(cluster.kubectl, ["delete", "region", "eu-west"]);
  const before = await world.kube.create(resourceOf(of("Region")), theirs);
  await world.restartOperator();
  await settled(world, 2);
  const status = { status: { state: "broken", label: null, conditions: null } };
  await world.kube.patch(resourceOf(of("Region")), { name: "us-east" }, status, { subresource: "status" });
  await must(cluster.kubectl, ["delete", "region", "fr-par"]);
  await must(cluster.kubectl, ["label", "region", "us-ord", "app.kubernetes.io/managed-by-"]);
  await world.until("Region", "us-east", (one) => one.status?.["state"] === "ok" && isReady(one));
  await world.until("Region", "fr-par", isReady);
  await world.until("Region", "us-ord", ({ metadata }) => Object.keys(metadata.labels ?? {}).length === 1);
  expect(world.lists("/regions")).toBe(2);
  expect(await world.region("eu-west")).toEqual(before);
  const events = await must(cluster.kubectl, ["get", "events", "-A", "--field-selector=reason=Conflict", "-o", "name"]);
  expect(events.trim().split("\n")).toHaveLength(1);
  await must(cluster.kubectl, ["delete", "region", "eu-west"]);
  await world.until("Region", "eu-west", isReady);
});

test("where just namespaces are managed, or catalogs are off, no catalog is watched, written or asked for", async () => {
  const namespace = { namespaces: ["default"] };
  for (const operator of [namespace, { catalogs: undefined }]) {
    const world = await withCatalogs(operator);
    world.clock.advance(2 * hour);
    await vi.waitFor(() => expect(world.operator().synced()).toBe(true));
    await world.stopOperator();
    await vi.waitFor(() => expect(world.watched()).toEqual(expect.arrayContaining(owned)), { timeout: 20_000 });
    expect(world.requests(/./)).toEqual([]);
    // The account reads the types once more, to test the brand word.
    expect(["/regions", "/compute/types", "/betas"].map(world.lists)).toEqual([0, 0, 0]);
  }
});

test("a definition that is not installed keeps back nothing but its own catalog", async () => {
  const name = "kernels.cloudplatform.dev";
  await must(cluster.kubectl, ["delete", "crd", name]);
  const world = await withCatalogs();
  await world.ready("CloudAccount", "default");
  await settled(world);
  expect([world.lists("/compute/kernels"), world.lists("/regions")]).toEqual([0, 1]);
  await must(cluster.kubectl, ["apply", "--server-side", "-f", "crds/kernels.yaml"]);
  await vi.waitFor(
    async () => {
      world.clock.advance(30_000);
      expect(await world.get("Kernel", "compute-grub2")).toBeDefined();
    },
    { timeout: 30_000, interval: 500 },
  );
});

function of(kind: string) {
  const found = mirrors.find((mirror) => mirror.kind === kind);
  if (!found) throw new Error(`no mirror ${kind}`);
  return found;
}

function isReady(object: KubeObject): boolean {
  return conditionOf(object, "Ready")?.status === "True";
}
