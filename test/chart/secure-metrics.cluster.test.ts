/** The metrics of an operator that the chart installed, over TLS, read with tokens of service accounts. */
import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { selfSigned } from "../../src/process/self-signed.ts";
import { bundle, programs } from "../../tools/bundle/bundle.ts";
import { must } from "../../tools/demo/install.ts";
import { startControlPlane } from "../support/control-plane.ts";
import type { OwnControlPlane } from "../support/control-plane.ts";
import { applyAll, deploy, freePorts, restrictedNamespace } from "./installation.ts";
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
      metrics: { ...metrics, secure: { enabled: true, ...values } },
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
    await vi.waitFor(async () => expect(await read(metrics.port, ca, reader)).toMatchObject({ status: 200 }), 20_000);
    expect((await read(metrics.port, ca, reader)).text).toContain("cloudplatform_build_info");
    expect(await read(metrics.port, ca, other)).toMatchObject({ status: 403 });
    expect(await read(metrics.port, ca, "stray")).toMatchObject({ status: 401 });
    expect(await read(metrics.port, ca)).toMatchObject({ status: 401 });
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

/** `ca` undefined: whoever answers, as a ServiceMonitor does where nobody can check the certificate. */
function read(port: number, ca: string | undefined, token?: string): Promise<{ status?: number; text: string }> {
  const trust = ca === undefined ? { rejectUnauthorized: false } : { ca };
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path: "/metrics", agent: false, headers, ...trust }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    })
      .once("error", reject)
      .end();
  });
}
