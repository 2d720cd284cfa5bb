import { request } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import type { KubeObject } from "../../src/cluster/types.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { freePort } from "../../tools/local-cluster/servers.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";
import { createAll, instances, isReady, listed, sshKeys, untilAll, untilTrue } from "./support/fleet.ts";
import { createProcesses, operatorArgs } from "./support/processes.ts";

const chosen = "chosen-By-a-Person-7!";
const userData = "#cloud-config: a secret of the user data";

/** Every secret that is in a Secret of the namespace, as it is and as Kubernetes encodes it. */
async function secretsOf(world: World): Promise<Map<string, string>> {
  const { items } = (await world.kube.raw(`/api/v1/namespaces/${world.namespace}/secrets`)) as {
    items: (KubeObject & { data?: Record<string, string> })[];
  };
  const found = new Map<string, string>();
  for (const { metadata, data = {} } of items) {
    for (const [key, encoded] of Object.entries(data)) {
      const plain = Buffer.from(encoded, "base64").toString();
      // Hosts and ports of a connection Secret are no secrets.
      if (!/token|password|root|config|uri|^key$/i.test(key)) continue;
      found.set(`${metadata.name}/${key}`, plain);
      found.set(`${metadata.name}/${key} in base64`, encoded);
    }
  }
  return found;
}

function page(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = request({ host: "127.0.0.1", port, path: "/metrics" }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.once("end", () => resolve(text));
    });
    call.once("error", reject);
    call.end();
  });
}

/** Work that meets faults, refusals and lost answers, so that errors are told of calls that carry secrets. */
async function provoke(world: World): Promise<void> {
  const { faults } = world.simulator.control;
  const posts = { method: "POST", path: "/compute/instances", times: 1 } as const;
  faults.add({ kind: "truncate", ...posts });
  faults.add({ kind: "html", ...posts });
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "mine", namespace: world.namespace } };
  await world.apply({ ...secret, stringData: { password: chosen, "user-data": userData } });
  const spec = { region: "us-east", type: "g6-standard-1", image: "compute/debian12" };
  const refs = { rootPasswordSecretRef: { name: "mine" }, userDataSecretRef: { name: "mine" } };
  const database = { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1", clusterSize: 1 };
  await createAll(world, [
    ...sshKeys(world, 3),
    ...instances(world, 5),
    world.object("ManagedMySQL", "orders", { ...database, label: "orders" }),
  ]);
  await untilAll(world, "SSHKey", 3, isReady, 30_000);
  await untilTrue("most instances are made", () => world.simulator.control.rows("instance").length >= 4, 30_000);
  // A service that repeats the password in its refusal.
  const refusal = { status: 400, reason: `root_pass ${chosen} is too weak`, method: posts.method, path: posts.path };
  const fault = faults.add({ kind: "status", ...refusal });
  await createAll(world, [world.object("ComputeInstance", "own-password", { ...spec, ...refs })]);
  await world.condition("ComputeInstance", "own-password", "Stalled", "Refused");
  faults.remove(fault);
  await untilTrue("a database is made", async () => (await listed(world, "ManagedMySQL")).every(isReady), 30_000);
}

test("no token, no password and no key is in any log line, event, object or metric, debug logs and faults included", async () => {
  const cluster = sharedControlPlane();
  const world = await startWorld(cluster, { start: false });
  const processes = createProcesses();
  onTestFinished(async () => {
    await processes.close();
    await world.stop();
  });
  const port = await freePort();
  const { namespace, simulator } = world;
  const more = ["--log-level", "debug", "--leader-election", "off", "--metrics-address", `127.0.0.1:${port}`];
  const args = operatorArgs({ kubeconfigPath: cluster.kubeconfigPath, cloud: simulator.url, namespace, more });
  const operator = await processes.operator(args);
  await provoke(world);
  const secrets = await secretsOf(world);
  const generated = [...secrets.keys()].filter((name) => name.includes("root-password"));
  expect(generated.length, "generated passwords").toBeGreaterThan(0);
  expect([...secrets.keys()]).toContain("cloud-platform-operator-installation-key/key in base64");
  expect([...secrets.values()]).toEqual(expect.arrayContaining([chosen, simulator.token]));
  const objects = await Promise.all(
    ["CloudAccount", ...kinds.map(({ kind }) => kind)].map((kind) => textOf(world, kind)),
  );
  const events = JSON.stringify(await world.kube.raw(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`));
  const places = { log: operator.lines().join("\n"), objects: objects.join("\n"), events, metrics: await page(port) };
  expect(operator.lines().some((line) => line.includes('"debug"'))).toBe(true);
  expect(places.metrics).toContain("controller_runtime_reconcile_total");
  for (const [place, text] of Object.entries(places)) {
    const leaked = [...secrets].filter(([, value]) => text.includes(value)).map(([name]) => name);
    expect(leaked, `what is in the ${place}`).toEqual([]);
  }
});

async function textOf(world: World, kind: string): Promise<string> {
  if (kind === "CloudAccount") return JSON.stringify(await world.get(kind, "default"));
  return JSON.stringify(await listed(world, kind));
}
