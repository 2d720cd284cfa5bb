/** An exported account moves into a cluster without a request that changes the cloud. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import type { KubeObject } from "../../src/cluster/types.ts";
import { firstPair } from "../../src/kinds/objectstorage/certificate-examples.ts";
import { notExported } from "../../src/core/kind/exported.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { conditionOf, startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";
import { canary, furnishAccount } from "./furnished.ts";
import { folderOfTest, runCli } from "./run.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld(sharedControlPlane());
});
afterAll(() => world.stop());

let furnishing: Promise<void> | undefined;
const furnished = (): Promise<void> => (furnishing ??= furnishAccount(world.simulator));

/** Exports the account into a folder, with the account of the cluster. */
async function exported(
  folder: string,
  ...more: string[]
): Promise<{ objects: KubeObject[]; err: string; code: number }> {
  const kubeconfig = join(folderOfTest(), "kubeconfig");
  writeFileSync(kubeconfig, sharedControlPlane().kubeconfig);
  const flags = ["--kubeconfig", kubeconfig, "-n", world.namespace, "--account", "default", "--folder", folder];
  const { code, err } = await runCli(["export", "--all", ...flags, ...more]);
  return { objects: filesIn(folder).flatMap(({ text }) => objectIn(text)), err, code };
}

function filesIn(folder: string): { path: string; text: string }[] {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return paths
    .map(({ parentPath, name }) => join(parentPath, name))
    .toSorted()
    .map((path) => ({ path: path.slice(folder.length), text: readFileSync(path, "utf8") }));
}

function objectIn(text: string): KubeObject[] {
  const object = parse(text) as KubeObject | undefined;
  return object?.apiVersion?.startsWith("cloudplatform.dev/") ? [object] : [];
}

/** Returns what each object reports that is not Ready. */
async function notReady(objects: KubeObject[]): Promise<string[]> {
  const found = await Promise.all(objects.map(async ({ kind, metadata }) => world.get(kind, metadata.name)));
  return found.flatMap((object) => {
    const ready = object && conditionOf(object, "Ready");
    const drifted = object && conditionOf(object, "Drifted");
    // The cloud API does not show a certificate, so the operator cannot compare it.
    if (drifted?.status === "True" && object?.kind !== "BucketCertificate")
      return [`${object?.kind} ${object?.metadata.name}: ${drifted.message}`];
    const isCurrent = object?.status?.["observedGeneration"] === object?.metadata.generation;
    if (ready?.status === "True" && isCurrent) return [];
    return [`${object?.kind} ${object?.metadata.name}: ${ready?.reason} ${ready?.message}`];
  });
}

test("an exported account becomes Ready without a request that changes the cloud, with Observe and then with Manage", async () => {
  await furnished();
  const folder = join(folderOfTest(), "manifests");
  mkdirSync(folder);
  const mark = world.simulator.control.ledger().at(-1)?.id ?? 0;
  const sent = () => world.simulator.control.ledger({ mutating: true, sinceId: mark });
  const { objects, code, err } = await exported(folder);
  expect(code, err).toBe(0);
  const covered = new Set(objects.map(({ kind }) => kind));
  const exportable = kinds.filter((kind) => notExported(kind) === undefined).map(({ kind }) => kind);
  expect(exportable.filter((kind) => !covered.has(kind))).toEqual([]);

  expect(err).toContain("plain-ssl-tls: tls.crt, tls.key (for BucketCertificate plain-ssl)");
  const secret = { apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls", metadata: { name: "plain-ssl-tls" } };
  await world.apply({ ...secret, stringData: firstPair }, ...objects);
  await expect.poll(() => notReady(objects), { timeout: 60_000 }).toEqual([]);
  expect(sent()).toEqual([]);

  const again = join(folderOfTest(), "again");
  mkdirSync(again);
  await exported(again);
  expect(filesIn(again)).toEqual(filesIn(folder));
  expect(filesIn(folder).filter(({ text }) => text.includes(canary))).toEqual([]);

  const managed = join(folderOfTest(), "managed");
  mkdirSync(managed);
  const { objects: owned } = await exported(managed, "--manage");
  await world.apply(...owned);
  await expect.poll(() => notReady(owned), { timeout: 60_000 }).toEqual([]);
  expect(sent().map(({ method, path, body }) => ({ method, path, body }))).toEqual([]);
}, 240_000);

test("every reference to an exported object has a name", async () => {
  await furnished();
  const folder = join(folderOfTest(), "manifests");
  mkdirSync(folder);
  const { objects } = await exported(folder);
  const ids = JSON.stringify(objects.map(({ spec }) => ({ ...spec, management: undefined }))).match(/"id":"[^"]*"/g);
  expect(ids).toBeNull();
  const record = objects.find(({ metadata }) => metadata.name === "example-org-a-www");
  expect(record?.spec).toMatchObject({ targetRef: { kind: "ComputeInstance", name: "web", address: "Public" } });
  const sharing = objects.find(({ kind }) => kind === "IPSharing");
  expect(sharing?.spec?.["addressRefs"]).toHaveLength(1);
});
