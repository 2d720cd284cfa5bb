import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The programs of a control plane, by their file names. */
export const programs = ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl"] as const;
export type Program = (typeof programs)[number];

/** Where each program of a control plane is. */
export type Binaries = Record<Program, string>;

/** Root of the repository. */
export const root = join(import.meta.dirname, "..", "..");

/** Go module folder and package that a program is built from. */
export const sources: Record<Program, { module: string; package: string }> = {
  etcd: { module: join(root, "tools", "etcd"), package: "go.etcd.io/etcd/server/v3" },
  "kube-apiserver": kubernetes("kube-apiserver"),
  "kube-controller-manager": kubernetes("kube-controller-manager"),
  kubectl: kubernetes("kubectl"),
};

/** Versions as the go.mod files pin them, for example `v1.36.3`. */
export const versions = {
  kubernetes: pinned("kubernetes", "k8s.io/kubernetes"),
  etcd: pinned("etcd", "go.etcd.io/etcd/server/v3"),
};

const goNames: Partial<Record<string, string>> = { x64: "amd64", win32: "windows" };

/** This machine in Go's words. */
export const platform = {
  os: goNames[process.platform] ?? process.platform,
  arch: goNames[process.arch] ?? process.arch,
};

/** Where the programs are kept between runs, outside the tree. */
export function cacheFolder(environment: NodeJS.ProcessEnv): string {
  const base = environment["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const name = `${versions.kubernetes}-${platform.os}-${platform.arch}`;
  return join(base, "cloud-platform-operator", "control-plane", name);
}

function kubernetes(program: Program): { module: string; package: string } {
  return { module: join(root, "tools", "kubernetes"), package: `k8s.io/kubernetes/cmd/${program}` };
}

function pinned(folder: string, module: string): string {
  const text = readFileSync(join(root, "tools", folder, "go.mod"), "utf8");
  const line = text.split("\n").find((each) => each.trim().startsWith(`${module} v`));
  const version = line?.trim().split(" ")[1];
  if (version === undefined) throw new Error(`tools/${folder}/go.mod does not pin ${module}`);
  return version;
}
