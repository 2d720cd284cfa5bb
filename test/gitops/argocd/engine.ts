import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { ensureGoTool } from "../../../tools/go-tool/ensure.ts";
import { startGuard } from "../../../tools/local-cluster/guarded.ts";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ControlPlane } from "../../support/control-plane.ts";
import type { Manifest } from "../manifests.ts";

/** What came of a sync, or of a comparison. */
export interface Answer {
  id: number;
  error?: string;
  results: { kind: string; name: string; status: string; message: string }[];
  objects: { kind: string; name: string; outOfSync: boolean }[];
}

/** The engine of Argo CD as a process; an application is a namespace. */
export interface Engine {
  /** Makes the namespace what is in Git. */
  sync: (namespace: string, objects: Manifest[]) => Promise<Answer>;
  /** Kinds and names of what differs from Git. */
  outOfSync: (namespace: string, objects: Manifest[]) => Promise<string[]>;
  stop: () => Promise<void>;
}

export async function startEngine({ kubeconfigPath }: ControlPlane): Promise<Engine> {
  const command = await ensureGoTool("gitops-engine");
  const folder = mkdtempSync(join(tmpdir(), "gitops-engine-"));
  const guard = startGuard(folder);
  const env = { PATH: process.env["PATH"], HOME: folder, TMPDIR: folder, KUBECONFIG: kubeconfigPath };
  const child = spawn(command, [], { detached: true, env, stdio: ["pipe", "pipe", "pipe"] });
  guard.watch(child.pid ?? 0);
  let said = "";
  child.stderr.on("data", (text: Buffer) => (said = (said + text.toString()).slice(-4096)));
  const waiting = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => {
      for (const { reject } of waiting.values()) reject(new Error(`gitops-engine ended: ${said}`));
      resolve();
    });
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const answer = JSON.parse(line) as Answer;
    waiting.get(answer.id)?.resolve(answer);
    waiting.delete(answer.id);
  });
  let asked = 0;
  const ask = (request: object): Promise<Answer> =>
    new Promise((resolve, reject) => {
      asked += 1;
      waiting.set(asked, { resolve, reject });
      child.stdin.write(`${JSON.stringify({ id: asked, ...request })}\n`);
    });
  return {
    sync: (namespace, objects) => ask({ namespace, objects, sync: true }),
    async outOfSync(namespace, objects) {
      const { error, objects: compared } = await ask({ namespace, objects, sync: false });
      if (error !== undefined) throw new Error(error);
      return compared.filter((one) => one.outOfSync).map(({ kind, name }) => `${kind}/${name}`);
    },
    async stop() {
      child.stdin.end();
      await ended;
      guard.release(child.pid ?? 0);
      await guard.close();
    },
  };
}
