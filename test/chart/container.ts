import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Guard } from "../../tools/local-cluster/guarded.ts";
import { startProcess } from "../../tools/local-cluster/process.ts";
import type { Running } from "../../tools/local-cluster/process.ts";
import type { Manifest } from "./rendered.ts";

/** The part of a pod that a process on this machine can be. */
export interface PodSpec {
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  containers: {
    name: string;
    args: string[];
    env?: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
    volumeMounts?: { name: string; mountPath: string }[];
  }[];
  volumes?: { name: string; projected: { sources: { secret?: Source; configMap?: Source }[] } }[];
}

interface Source {
  name: string;
  items: { key: string; path: string }[];
}

export interface Container {
  /** Empty folder in which the container's tree is built. */
  folder: string;
  /** Folder with the bundles: what the image has in /app. */
  app: string;
  /** Files by absolute path in the container: what volumes bring. */
  files: Record<string, string>;
  args: string[];
  env: NodeJS.ProcessEnv;
  guard: Guard;
  ready: (output: string) => Promise<boolean> | boolean;
}

export function podSpecOf(workload: Manifest): PodSpec {
  return (workload["spec"] as { template: { spec: PodSpec } }).template.spec;
}

/**
 * Runs a container of the chart as a process: the same arguments and environment, in a tree of its own that has what the
 * image and the volumes bring, read-only and as the image's user. Without leave to make mounts, the paths are replaced.
 */
export function runContainer({ folder, app, files, args, env, guard, ready }: Container): Promise<Running> {
  cpSync(app, join(folder, "app"), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  chmodSync(folder, 0o755);
  const name = "the container";
  const unshare = mountNamespace();
  if (unshare === undefined) {
    const replaced = args.map((arg) => arg.replace(/(^|=)(\/(?:app|etc)\/)/, `$1${folder}$2`));
    return startProcess({ name, command: process.execPath, args: replaced, env, guard, ready });
  }
  const script = ["-c", enter, "sh", folder, dirname(process.execPath), unshare.user, ...args];
  return startProcess({ name, command: "unshare", args: [...unshare.flags, "sh", ...script], env, guard, ready });
}

/** True where a container gets a tree of its own, so that its service account is where a pod has it. */
export const hasOwnTree = (): boolean => mountNamespace() !== undefined;

/** The container's own files, Node and the machine's libraries, read-only; then nothing else. */
const enter = `set -e
tree=$1 node=$2 user=$3; shift 3
mount --bind "$tree" "$tree"
for folder in /usr /lib /lib64 /proc /dev; do
  if [ -d "$folder" ]; then mkdir -p "$tree$folder"; mount --rbind "$folder" "$tree$folder"; fi
done
mkdir -p "$tree/nodejs"; mount --bind "$node" "$tree/nodejs"
mount -o remount,bind,ro "$tree"
cd "$tree"
exec chroot $user . /nodejs/node "$@"`;

interface Unshare {
  flags: string[];
  user: string;
}

/** How this machine lets us mount: as root, then the container runs as the image's user; else as root of a user namespace. */
function mountNamespace(): Unshare | undefined {
  const ways: Unshare[] = [
    { flags: ["--mount"], user: "--userspec=65532:65532" },
    { flags: ["--user", "--map-root-user", "--mount"], user: "" },
  ];
  return ways.find(({ flags }) => spawnSync("unshare", [...flags, "true"]).status === 0);
}
