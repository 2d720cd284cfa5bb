import { spawn } from "node:child_process";

export interface KubectlResult {
  stdout: string;
  stderr: string;
  code: number;
}

/** Runs kubectl with these arguments and, with `input`, that text on its standard input; never rejects for an exit code. */
export type Kubectl = (args: string[], options?: { input?: string }) => Promise<KubectlResult>;

/**
 * A kubectl bound to one kubeconfig; it reads and writes nothing of the person's own (~/.kube, KUBECONFIG).
 *
 * @param environment for a kubeconfig that runs a program to log in; default: next to nothing
 */
export function createKubectl(
  binary: string,
  kubeconfigPath: string,
  folder: string,
  environment: NodeJS.ProcessEnv = { PATH: process.env["PATH"], HOME: folder },
): Kubectl {
  const fixed = [`--kubeconfig=${kubeconfigPath}`, `--cache-dir=${folder}/kubectl-cache`];
  return (args, options = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn(binary, [...fixed, ...args], { env: environment, stdio: ["pipe", "pipe", "pipe"] });
      const text = { stdout: "", stderr: "" };
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text.stdout += chunk));
      child.stderr.setEncoding("utf8").on("data", (chunk: string) => (text.stderr += chunk));
      child.once("error", reject);
      child.once("close", (code) => resolve({ ...text, code: code ?? 1 }));
      // kubectl may end before it has read everything; its exit code says why.
      child.stdin.on("error", () => undefined);
      child.stdin.end(options.input ?? "");
    });
}
