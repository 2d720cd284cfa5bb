import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { must } from "../../../tools/demo/install.ts";
import { ensureGoTool } from "../../../tools/go-tool/ensure.ts";
import { startGuard } from "../../../tools/local-cluster/guarded.ts";
import { startProcess } from "../../../tools/local-cluster/process.ts";
import { freePort } from "../../../tools/local-cluster/servers.ts";
import type { ControlPlane } from "../../support/control-plane.ts";
import { serveArtifacts } from "./artifact.ts";
import type { ArtifactServer } from "./artifact.ts";
import { fluxDefinitions } from "./definitions.ts";

/** Flux's kustomize-controller as a process, and what stands for its source-controller. */
export interface Flux extends Pick<ArtifactServer, "publish"> {
  stop: () => Promise<void>;
}

export async function startFlux(cluster: ControlPlane): Promise<Flux> {
  const command = await ensureGoTool("kustomize-controller");
  await must(cluster.kubectl, ["apply", "--server-side", "-f", "-"], fluxDefinitions());
  await must(cluster.kubectl, ["wait", "--for=condition=Established", "crd", "--all", "--timeout=30s"]);
  const folder = mkdtempSync(join(tmpdir(), "flux-"));
  const guard = startGuard(folder);
  const artifacts = await serveArtifacts();
  const health = `127.0.0.1:${await freePort()}`;
  const args = [
    `--health-addr=${health}`,
    "--metrics-addr=127.0.0.1:0",
    "--concurrent=16",
    "--kube-api-qps=500",
    "--kube-api-burst=1000",
  ];
  const running = await startProcess({
    name: "kustomize-controller",
    command,
    args,
    guard,
    env: { PATH: process.env["PATH"], HOME: folder, TMPDIR: folder, KUBECONFIG: cluster.kubeconfigPath },
    ready: async () => (await fetch(`http://${health}/readyz`)).ok,
  });
  return {
    publish: artifacts.publish,
    async stop() {
      await running.stop();
      await artifacts.close();
      await guard.close();
    },
  };
}
