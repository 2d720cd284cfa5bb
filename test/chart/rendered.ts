import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseAllDocuments, stringify } from "yaml";
import { ensureGoTool } from "../../tools/go-tool/ensure.ts";

export const chart = "charts/cloud-platform-operator";

/** A Kubernetes object as a chart or kustomize makes it. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> };
  [field: string]: unknown;
}

export interface Result {
  stdout: string;
  stderr: string;
  code: number;
}

/** Runs the real helm; with `values`, as a file of them. It reads nothing of the person's own. */
export async function helm(
  args: string[],
  { values, kubeconfigPath = "/dev/null" }: { values?: object; kubeconfigPath?: string } = {},
): Promise<Result> {
  const binary = await ensureGoTool("helm");
  const home = mkdtempSync(join(tmpdir(), "helm-"));
  const file = join(home, "values.yaml");
  if (values !== undefined) writeFileSync(file, stringify(values, { version: "1.1" }));
  const env = { PATH: process.env["PATH"], HOME: home, KUBECONFIG: kubeconfigPath };
  const all = values === undefined ? args : [...args, "--values", file];
  try {
    return await new Promise((resolve) => {
      execFile(binary, all, { env, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
        resolve({ stdout, stderr, code: error === null ? 0 : Number(error.code ?? 1) });
      });
    });
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** What the chart makes of the values, hooks apart; throws what helm says against them. */
export async function rendered(
  values: object,
  { release = "cpo", namespace = "cloud-system" } = {},
): Promise<{ manifests: Manifest[]; hooks: Manifest[] }> {
  const { stdout, stderr, code } = await helm(["template", release, chart, "--namespace", namespace], { values });
  if (code !== 0) throw new Error(stderr);
  const all = manifestsOf(stdout);
  const isHook = ({ metadata }: Manifest): boolean => metadata.annotations?.["helm.sh/hook"] !== undefined;
  return { manifests: all.filter((one) => !isHook(one)), hooks: all.filter(isHook) };
}

/** The objects of a YAML stream. */
export function manifestsOf(text: string): Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((each) => each !== null);
}

/** The one object of a kind, or of a kind and name. */
export function only(manifests: Manifest[], kind: string, name?: string): Manifest {
  const found = manifests.filter((one) => one.kind === kind && (name === undefined || one.metadata.name === name));
  const [first] = found;
  if (first === undefined || found.length > 1) throw new Error(`${found.length} of ${kind} ${name ?? ""}`);
  return first;
}
