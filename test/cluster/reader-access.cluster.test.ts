import { readFileSync } from "node:fs";
import { expect, onTestFinished } from "vitest";
import { parse, stringify } from "yaml";
import { loadKubeConfig } from "../../src/cluster/credentials.ts";
import { createReaderAccess } from "../../src/cluster/reader-access.ts";
import { createTransport } from "../../src/cluster/transport.ts";
import { systemClock } from "../../src/process/clock.ts";
import { must } from "../../tools/demo/install.ts";
import type { ControlPlane } from "../support/control-plane.ts";
import { clusterTest } from "../support/namespace.ts";

const rbac = "rbac.authorization.k8s.io";

function accessOf({ kubeconfig }: Pick<ControlPlane, "kubeconfig">, clock = systemClock) {
  const config = () => loadKubeConfig({ text: kubeconfig });
  const transport = createTransport({ config, clock: systemClock });
  onTestFinished(() => transport.close());
  return createReaderAccess({ transport, clock, path: "/metrics" });
}

async function tokenOf(cluster: ControlPlane, namespace: string, name: string): Promise<string> {
  const text = readFileSync(await cluster.addServiceAccount(namespace, name), "utf8");
  return (parse(text) as { users: [{ user: { token: string } }] }).users[0].user.token;
}

async function allow({ kubectl }: ControlPlane, namespace: string, account: string): Promise<void> {
  const name = `metrics-${account}-${namespace}`;
  const metadata = { name };
  const rules = [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }];
  const subjects = [{ kind: "ServiceAccount", name: account, namespace }];
  const roleRef = { apiGroup: rbac, kind: "ClusterRole", name };
  const objects = [
    { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata, rules },
    { apiVersion: `${rbac}/v1`, kind: "ClusterRoleBinding", metadata, roleRef, subjects },
  ];
  await must(kubectl, ["apply", "-f", "-"], objects.map((one) => stringify(one)).join("---\n"));
}

clusterTest("a token may read the metrics where its service account may get them", async ({ cluster, namespace }) => {
  const reader = await tokenOf(cluster, namespace, "prometheus");
  const other = await tokenOf(cluster, namespace, "somebody");
  await allow(cluster, namespace, "prometheus");
  await expect.poll(() => accessOf(cluster)(reader)).toBe("allowed");
  expect(await accessOf(cluster)(other)).toBe("forbidden");
  expect(await accessOf(cluster)("no-token-at-all")).toBe("unknown");
});

clusterTest("a verdict is asked for again after its time", async ({ cluster, namespace }) => {
  let ms = 0;
  const access = accessOf(cluster, { ...systemClock, now: () => ms });
  const token = await tokenOf(cluster, namespace, "newcomer");
  expect(await access(token)).toBe("forbidden");
  await allow(cluster, namespace, "newcomer");
  await expect.poll(() => accessOf(cluster)(token)).toBe("allowed");
  ms = 9_999;
  expect(await access(token)).toBe("forbidden");
  ms = 10_000;
  expect(await access(token)).toBe("allowed");
});
