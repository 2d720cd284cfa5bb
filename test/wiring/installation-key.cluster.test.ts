import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { stringify } from "yaml";
import type { KubeObject } from "../../src/cluster/types.ts";
import { systemClock } from "../../src/process/clock.ts";
import { openInstallationKey } from "../../src/wiring/installation-key.ts";
import { must } from "../../tools/demo/install.ts";
import { cleanEnvironment } from "../../tools/demo/programs.ts";
import { clusterTest } from "../support/namespace.ts";

const name = "the-key";
const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** How the operator ends that is started with this kubeconfig, and what it says. */
function start(kubeconfigPath: string, namespace: string): Promise<{ code: unknown; output: string }> {
  const where = ["--kubeconfig", kubeconfigPath, "--namespace", namespace, "--lease-namespace", namespace];
  const off = ["--metrics-address", "0", "--health-address", "0", "--endpoint", "default=http://127.0.0.1:1"];
  const given = ["src/main.ts", ...where, ...off, "--installation-key-secret", name];
  const options = { env: cleanEnvironment(process.env), timeout: 60_000 };
  return new Promise((resolve) =>
    execFile(process.execPath, given, options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    ),
  );
}

clusterTest("replicas that start at once all get the one key that is stored", async ({ cluster, namespace }) => {
  const options = { kubeConfig: { text: cluster.kubeconfig }, clock: systemClock, log, installationId: "east" };
  const keys = await Promise.all(Array.from({ length: 5 }, () => openInstallationKey({ ...options, namespace, name })));
  const stored = await must(cluster.kubectl, ["get", "secret", name, "-n", namespace, "-o", "jsonpath={.data.key}"]);
  expect(new Set(keys.map(({ bytes }) => Buffer.from(bytes).toString("base64")))).toEqual(new Set([stored]));
  const patch = ["patch", "secret", name, "-n", namespace, "-p", '{"stringData":{"key":"another"}}'];
  expect((await cluster.kubectl(patch)).stderr).toContain("field is immutable when `immutable` is set");
});

clusterTest(
  "a key from a backup takes the place of one that an operator made meanwhile, once that is deleted",
  async ({ cluster, namespace }) => {
    const options = { kubeConfig: { text: cluster.kubeconfig }, clock: systemClock, log, installationId: "east" };
    const open = async () => {
      const { bytes } = await openInstallationKey({ ...options, namespace, name });
      return Buffer.from(bytes).toString("base64");
    };
    const first = await open();
    const secret = ["secret", name, "-n", namespace];
    const backup = JSON.parse(await must(cluster.kubectl, ["get", ...secret, "-o", "json"])) as KubeObject;
    const { labels, annotations } = backup.metadata;
    const input = stringify({ ...backup, metadata: { name, namespace, labels, annotations } });
    await must(cluster.kubectl, ["delete", ...secret]);
    expect(await open()).not.toBe(first);
    expect((await cluster.kubectl(["apply", "-f", "-"], { input })).stderr).toContain("field is immutable");
    await must(cluster.kubectl, ["delete", ...secret]);
    await must(cluster.kubectl, ["apply", "-f", "-"], input);
    expect(await open()).toBe(first);
  },
);

clusterTest(
  "a Secret that is no key ends the operator with a line that names it, and exit code 2",
  async ({ cluster, namespace }) => {
    const short = ["create", "secret", "generic", name, "-n", namespace, "--from-literal=key=short"];
    await must(cluster.kubectl, short);
    const { code, output } = await start(cluster.kubeconfigPath, namespace);
    expect(output).toMatch(/^--installation-key-secret \(CLOUD_PLATFORM_INSTALLATION_KEY_SECRET\): [^\n]+\n$/);
    expect(output).toContain(`the Secret ${namespace}/${name} has 5 bytes under "key"`);
    expect(code).toBe(2);
  },
);

clusterTest(
  "a missing permission ends the operator with a line that names the permission, and exit code 2",
  async ({ cluster, namespace }) => {
    const account = `cpo-${randomUUID().slice(0, 8)}`;
    const file = await cluster.addServiceAccount(namespace, account);
    const unread = await start(file, namespace);
    expect(unread).toMatchObject({ code: 2, output: expect.stringMatching(/^[^\n]+\n$/) as string });
    expect(unread.output).toContain(`Allow "get" of this Secret in the namespace ${namespace}`);

    const role = ["create", "role", account, "-n", namespace, "--verb=get", "--resource=secrets"];
    await must(cluster.kubectl, [...role, `--resource-name=${name}`]);
    const bound = [`--role=${account}`, `--serviceaccount=${namespace}:${account}`];
    await must(cluster.kubectl, ["create", "rolebinding", account, "-n", namespace, ...bound]);
    const allowed = ["auth", "can-i", "get", `secrets/${name}`, "-n", namespace, "--kubeconfig", file];
    await expect.poll(async () => (await cluster.kubectl(allowed)).stdout.trim()).toBe("yes");
    const unmade = await start(file, namespace);
    expect(unmade).toMatchObject({ code: 2, output: expect.stringMatching(/^[^\n]+\n$/) as string });
    expect(unmade.output).toContain(`Allow "create" of Secrets in the namespace ${namespace}`);
  },
);
