import { join } from "node:path";
import { pinnedVersion } from "../go-tool/module.ts";
import { cacheRoot, platform } from "../run/places.ts";

/** The programs of a control plane, by their file names. */
export const programs = ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl"] as const;
export type Program = (typeof programs)[number];

/** Where each program of a control plane is. */
export type Binaries = Record<Program, string>;

/** Module of tools/ and package that a program is built from. */
export const sources: Record<Program, { module: string; package: string }> = {
  etcd: { module: "etcd", package: "go.etcd.io/etcd/server/v3" },
  "kube-apiserver": kubernetes("kube-apiserver"),
  "kube-controller-manager": kubernetes("kube-controller-manager"),
  kubectl: kubernetes("kubectl"),
};

/** Versions as the go.mod files pin them, for example `v1.36.3`. */
export const versions = {
  kubernetes: pinnedVersion("kubernetes", "k8s.io/kubernetes"),
  etcd: pinnedVersion("etcd", "go.etcd.io/etcd/server/v3"),
};

/** Where the programs are kept between runs, outside the tree. */
export function cacheFolder(environment: NodeJS.ProcessEnv): string {
  return join(cacheRoot(environment), "control-plane", `${versions.kubernetes}-${platform.os}-${platform.arch}`);
}

function kubernetes(program: Program): { module: string; package: string } {
  return { module: "kubernetes", package: `k8s.io/kubernetes/cmd/${program}` };
}
