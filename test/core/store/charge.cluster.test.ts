import { operatorAnnotation } from "../../../src/core/kind/annotations.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startOperator } from "../../../src/operator.ts";
import type { Operator } from "../../../src/operator.ts";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { operatorOptions, startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";
const cluster = sharedControlPlane();
let world: World;
let second: Operator | undefined;

beforeEach(async () => {
  world = await startWorld(cluster, { start: false });
  await world.restartOperator({ leaderElection: { namespace: world.namespace, name: "first" } });
  await world.apply(world.object("SSHKey", "laptop", { sshKey }));
  await world.ready("SSHKey", "laptop");
});
afterEach(async () => {
  await second?.stop();
  second = undefined;
  await world.stop();
});

async function startSecond(): Promise<void> {
  second = await startOperator({
    ...operatorOptions(world.namespace, world.simulator.url, { text: cluster.kubeconfig }),
    leaderElection: { namespace: world.namespace, name: "second" },
  });
  await second.ready;
}

const operatorOf = async (kind: string, name: string) =>
  (await world.get(kind, name))?.metadata.annotations?.[operatorAnnotation];
const handledBy = (lease: string) => `${world.namespace}/${lease}`;

async function saysWho(): Promise<string> {
  const { stdout } = await cluster.kubectl(["get", "events", "-n", world.namespace, "-o", "yaml"]);
  return stdout;
}

test("a second operator of the same namespace does not reconcile what the first manages, and says so on the object", async () => {
  await startSecond();
  await expect.poll(saysWho, { timeout: 20_000 }).toContain(`the operator with lease ${handledBy("first")} manages it`);
  await world.patch("SSHKey", "laptop", { spec: { label: "renamed" } });
  await world.ready("SSHKey", "laptop");
  const changes = world.simulator.control.ledger().filter(({ method }) => method === "PUT");
  expect(changes).toHaveLength(1);
  expect(await operatorOf("SSHKey", "laptop")).toBe(handledBy("first"));
});

test("what the first managed is taken over at once when its lease is gone", async () => {
  await world.stopOperator();
  await cluster.kubectl(["delete", "lease", "first", "-n", world.namespace]);
  await startSecond();
  await world.patch("SSHKey", "laptop", { spec: { label: "renamed" } });
  await world.ready("SSHKey", "laptop");
  expect(await operatorOf("SSHKey", "laptop")).toBe(handledBy("second"));
  expect(await operatorOf("CloudAccount", "default")).toBe(handledBy("second"));
});

test("a namespace that the first no longer watches is taken over at once", async () => {
  await world.restartOperator({
    namespaces: ["elsewhere"],
    leaderElection: { namespace: world.namespace, name: "first" },
  });
  await startSecond();
  await expect.poll(() => operatorOf("SSHKey", "laptop"), { timeout: 20_000 }).toBe(handledBy("second"));
});

test("a lease of another program holds no object, however lively it is: what names it is taken over at once", async () => {
  const spec = { holderIdentity: "node-1", leaseDurationSeconds: 15 };
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "scheduler" }, spec };
  const input = JSON.stringify(lease);
  expect((await cluster.kubectl(["apply", "-n", world.namespace, "-f", "-"], { input })).stderr).toBe("");
  await world.patch("SSHKey", "laptop", {
    metadata: { annotations: { [operatorAnnotation]: handledBy("scheduler") } },
  });
  await expect.poll(() => operatorOf("SSHKey", "laptop"), { timeout: 20_000 }).toBe(handledBy("first"));
  expect(await saysWho()).not.toContain("ManagedElsewhere");
});
