/** The image and the chart in a real cluster: builds, installs, waits for the samples, uninstalls, then runs the cluster tests there. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureControlPlane } from "./control-plane/ensure.ts";
import { readSamples } from "./demo/manifests.ts";
import { ensureGoTool } from "./go-tool/ensure.ts";
import { clusterConfiguration } from "./kind/configuration.ts";
import { missingProgram } from "./kind/requirements.ts";
import { attempt, run } from "./kind/steps.ts";

const missing = await missingProgram();
if (missing !== undefined) {
  console.error(missing);
  process.exit(1);
}

const name = "cloud-platform-operator-test";
const image = "ghcr.io/cloud-platform-operator/cloud-platform-operator";
const system = "cloud-platform-system";
const folder = mkdtempSync(join(tmpdir(), "kind-"));
const kubeconfig = join(folder, "kubeconfig");
const audit = join(folder, "audit");
const environment = { KUBECONFIG: kubeconfig };
let exitCode = 1;

try {
  const helm = await ensureGoTool("helm");
  const { kubectl } = await ensureControlPlane({ wanted: ["kubectl"] });
  await run("building the image", "docker", ["build", "--tag", `${image}:kind`, "."]);
  mkdirSync(audit);
  const configuration = join(folder, "cluster.yaml");
  writeFileSync(configuration, clusterConfiguration(folder, audit));
  const where = ["--name", name, "--kubeconfig", kubeconfig];
  await run("creating the cluster", "kind", ["create", "cluster", ...where, "--config", configuration, "--wait=2m"]);
  await run("loading the image", "kind", ["load", "docker-image", "--name", name, `${image}:kind`]);

  const values = ["image.tag=kind", "image.pullPolicy=Never", "simulator.enabled=true", "simulator.timeScale=600"];
  const flags = [...values.flatMap((value) => ["--set", value]), "--namespace", system, "--create-namespace", "--wait"];
  const chart = "charts/cloud-platform-operator";
  await run("installing the chart", helm, ["install", "operator", chart, ...flags], environment);
  const samples = join(folder, "samples.yaml");
  writeFileSync(samples, readSamples("simulator-demo-token"));
  const ready = ["wait", "cloudplatform", "--all", "--for=condition=Ready", "--timeout=5m"];
  await run("applying the samples", kubectl, ["apply", "--server-side", "-f", samples], environment);
  await run("waiting until all are ready", kubectl, ready, environment);
  const uninstall = ["uninstall", "operator", "--namespace", system, "--wait"];
  if ((await attempt("uninstalling, which the guard must refuse", helm, uninstall, environment)) === 0)
    throw new Error("the operator was uninstalled while objects needed it");
  await run("deleting the samples", kubectl, ["delete", "-f", samples, "--timeout=5m"], environment);
  await run("uninstalling", helm, uninstall, environment);

  // The API server writes it for itself alone.
  const readable = ["exec", `${name}-control-plane`, "chmod", "644", "/var/log/kubernetes/audit.log"];
  await run("opening the audit log to the tests", "docker", readable);
  const files = { AUDIT_LOG: join(audit, "audit.log"), USE_EXISTING_CLUSTER: "true" };
  exitCode = await attempt("running the cluster tests", process.execPath, ["tools/test.ts", "--project", "cluster"], {
    ...environment,
    ...files,
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
} finally {
  await attempt("deleting the cluster", "kind", ["delete", "cluster", "--name", name]);
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = exitCode;
