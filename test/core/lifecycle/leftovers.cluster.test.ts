import { afterAll, beforeAll, expect, test } from "vitest";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";
const cluster = sharedControlPlane();
const counted: string[] = [];
let world: World;

beforeAll(async () => {
  const leftBehind = (kind: string): number => counted.push(kind);
  world = await startWorld(cluster, { operator: { measures: { leftBehind } } });
});
afterAll(() => world.stop());

async function notes(): Promise<string> {
  const { stdout } = await cluster.kubectl(["get", "events.events.k8s.io", "-n", world.namespace, "-o", "yaml"]);
  return stdout;
}

test("kubectl replace and kubectl delete where no policy refuses: what stays in the cloud is said and counted", async () => {
  // While it is paused the operator puts no finalizer back, so that the deletion comes first.
  const object = world.object("SSHKey", "laptop", { sshKey });
  const paused = world.object("SSHKey", "laptop", { sshKey, management: { policy: "Paused" } });
  await world.apply(object);
  const { status } = await world.ready("SSHKey", "laptop");
  await world.apply(paused);
  await world.condition("SSHKey", "laptop", "Ready", "Paused");
  expect((await cluster.kubectl(["replace", "-f", "-"], { input: JSON.stringify(paused) })).stderr).toBe("");
  await cluster.kubectl(["delete", "sshkey", "laptop", "-n", world.namespace]);
  await expect.poll(notes, { timeout: 20_000 }).toContain(`SSH key ${String(status?.["id"])} stays in CloudAccount`);
  expect(counted).toEqual(["SSHKey"]);
});

test("an object that is deleted in the ordinary way is not counted", async () => {
  await world.apply(world.object("SSHKey", "desk", { sshKey, label: "desk" }));
  await world.ready("SSHKey", "desk");
  await world.remove("SSHKey", "desk");
  await world.gone("SSHKey", "desk");
  expect(counted).toEqual(["SSHKey"]);
});
