import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { cleanEnvironment } from "../../tools/demo/programs.ts";
import type { LocalCluster } from "../../tools/local-cluster.ts";
import { createCredentials } from "../../tools/local-cluster/credentials.ts";
import { startGuard } from "../../tools/local-cluster/guarded.ts";
import { startProcess } from "../../tools/local-cluster/process.ts";
import { freePort } from "../../tools/local-cluster/servers.ts";

/** What benchmarks ask of a cluster. */
export type BenchCluster = Pick<LocalCluster, "folder" | "server" | "kubeconfig" | "kubeconfigPath" | "stop">;

/** Starts the made-up API server (made-up-server.ts), which takes any resource and validates nothing. */
export async function startMadeUpCluster(): Promise<BenchCluster> {
  const folder = mkdtempSync(join(tmpdir(), "made-up-cluster-"));
  const guard = startGuard(folder);
  const credentials = await createCredentials(folder);
  const port = await freePort();
  const server = `https://127.0.0.1:${port}`;
  const kubeconfig = await credentials.kubeconfig(server, "admin", ["system:masters"]);
  const kubeconfigPath = join(folder, "admin.kubeconfig");
  writeFileSync(kubeconfigPath, kubeconfig, { mode: 0o600 });
  const program = join(import.meta.dirname, "made-up-server.ts");
  const running = await startProcess({
    name: "the made-up API server",
    command: process.execPath,
    args: ["--max-old-space-size=4096", program, String(port), credentials.servingCert, credentials.servingKey],
    guard,
    env: cleanEnvironment(process.env),
    ready: (output) => output.includes("listening"),
  });
  return {
    folder,
    server,
    kubeconfig,
    kubeconfigPath,
    async stop() {
      await running.stop();
      await guard.close();
    },
  };
}

/** Puts objects, one a line of JSON, into the cluster as if they had been there; ten thousand at a time. */
export async function putObjects({ server, kubeconfig }: BenchCluster, plural: string, lines: string[]): Promise<void> {
  const ca = Buffer.from(/certificate-authority-data: (\S+)/.exec(kubeconfig)?.[1] ?? "", "base64");
  for (let from = 0; from < lines.length; from += 10_000) {
    const sent = request(`${server}/made-up/${plural}`, { method: "POST", ca });
    sent.end(lines.slice(from, from + 10_000).join("\n"));
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    if (answer.statusCode !== 200) throw new Error(`the made-up objects were refused: ${await text(answer)}`);
    answer.resume();
  }
}
