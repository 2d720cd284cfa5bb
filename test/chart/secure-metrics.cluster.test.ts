/** The metrics of an operator that the chart installed, over TLS, read with tokens of service accounts. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { selfSigned } from "../../src/process/self-signed.ts";
import { bundle, programs } from "../../tools/bundle/bundle.ts";
import { must } from "../../tools/demo/install.ts";
import { startControlPlane } from "../support/control-plane.ts";
import type { OwnControlPlane } from "../support/control-plane.ts";
import { applyAll, deploy, freePorts, readMetrics, restrictedNamespace } from "./installation.ts";
import { only, rendered } from "./rendered.ts";

const system = "cloud-platform-system";

let app: string;
let cluster: OwnControlPlane;
beforeAll(async () => {
  app = mkdtempSync(join(tmpdir(), "app-"));
  await bundle(
    app,
    programs.filter(({ file }) => file === "operator.mjs"),
  );
  cluster = await startControlPlane({ auditLog: true });
  await restrictedNamespace(cluster, system);
});
afterAll(async () => {
  await cluster.stop();
  rmSync(app, { recursive: true, force: true });
});

const pair = selfSigned(["127.0.0.1"], new Date());

const installations = [
  { what: "a certificate from a Secret", ca: pair.cert, values: { certificateSecret: "metrics-tls" }, more: {} },
  {
    what: "one of its own, where the release manages listed namespaces alone",
    ca: undefined,
    values: {},
    more: { watch: { namespaces: [system] }, installationId: "east" },
  },
];

test.each(installations)("with $what, they are for whom the chart's role is bound to", async ({ ca, values, more }) => {
  const { kubectl } = cluster;
  await secretOf("metrics-tls", { "tls.crt": pair.cert, "tls.key": pair.key });
  const { metrics, probes } = await freePorts();
  const { manifests } = await rendered(
    {
      ...more,
      endpoints: { default: { url: "http://127.0.0.1:9" } },
      probes,
      metrics: { ...metrics, secure: values },
    },
    { namespace: system },
  );
  expect(await applyAll(cluster, manifests)).toBe("");
  const operator = await deploy(cluster, app, only(manifests, "Deployment"));
  try {
    for (const name of ["prometheus", "somebody"])
      await must(kubectl, ["apply", "-f", "-"], stringify(serviceAccount(name)));
    const role = ["--clusterrole=cpo-cloud-platform-operator-metrics-reader", `--serviceaccount=${system}:prometheus`];
    await kubectl(["create", "clusterrolebinding", "prometheus-reads", ...role]);
    const [reader, other] = await Promise.all(["prometheus", "somebody"].map(tokenOf));
    await vi.waitFor(
      async () => expect(await readMetrics(metrics.port, reader, ca)).toMatchObject({ status: 200 }),
      20_000,
    );
    expect((await readMetrics(metrics.port, reader, ca)).text).toContain("cloudplatform_build_info");
    expect(await readMetrics(metrics.port, other, ca)).toMatchObject({ status: 403 });
    expect(await readMetrics(metrics.port, "stray", ca)).toMatchObject({ status: 401 });
    expect(await readMetrics(metrics.port, undefined, ca)).toMatchObject({ status: 401 });
    const refused = cluster.auditLog().filter(({ user, allowed }) => user === operator.user && !allowed);
    expect(refused).toEqual([]);
  } finally {
    await operator.stop();
    await must(kubectl, ["delete", "clusterrole,clusterrolebinding", "cloud-platform-operator", "--ignore-not-found"]);
  }
});

function serviceAccount(name: string) {
  return { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: system } };
}

async function tokenOf(name: string): Promise<string> {
  return (await must(cluster.kubectl, ["create", "token", name, "-n", system])).trim();
}

async function secretOf(name: string, stringData: Record<string, string>): Promise<void> {
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name, namespace: system }, stringData };
  await must(cluster.kubectl, ["apply", "-f", "-"], stringify(secret));
}
