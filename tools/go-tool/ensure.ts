import { existsSync } from "node:fs";
import { join } from "node:path";
import { withLock } from "../run/lock.ts";
import { cacheRoot, platform } from "../run/places.ts";
import { createProgress } from "../run/progress.ts";
import type { Progress } from "../run/progress.ts";
import { removeScratch } from "../run/scratch.ts";
import { buildGo } from "./build.ts";
import { moduleHash } from "./module.ts";

/** Programs that tests and checks use, each built from the module of tools/ that has its name. */
const tools = {
  actionlint: { package: "github.com/rhysd/actionlint/cmd/actionlint" },
  "gitops-engine": { package: "." },
  "gitops-health": { package: "." },
  helm: { package: "helm.sh/helm/v4/cmd/helm" },
  "helm-unittest": { package: "github.com/helm-unittest/helm-unittest/cmd/helm-unittest" },
  kubeconform: { package: "github.com/yannh/kubeconform/cmd/kubeconform" },
  "kustomize-controller": { package: "github.com/fluxcd/kustomize-controller" },
  // Without service discovery, which no check of rules needs, there is half as much to compile.
  promtool: { package: "github.com/prometheus/prometheus/cmd/promtool", flags: ["-tags", "remove_all_sd"] },
} satisfies Record<string, Tool>;

interface Tool {
  package: string;
  flags?: string[];
  variables?: string[];
}

export type GoTool = keyof typeof tools;

/** All of them. */
export const goTools = Object.keys(tools) as GoTool[];

/** Controllers of the GitOps stories (test/gitops), each of which takes minutes to build. */
export const gitopsControllers: ReadonlySet<GoTool> = new Set(["gitops-engine", "kustomize-controller"]);

interface Options {
  environment?: NodeJS.ProcessEnv;
  progress?: Progress;
}

/**
 * Path of a program, which is built the first time it is asked for and kept outside the tree until its module changes.
 * Says what it does; a second process that asks meanwhile waits.
 *
 * @throws Error with one line that says what to do, when Go is missing or the build fails
 */
export async function ensureGoTool(name: GoTool, options: Options = {}): Promise<string> {
  const { environment = process.env, progress = createProgress() } = options;
  const folder = join(cacheRoot(environment), "tools", `${name}-${moduleHash(name)}-${platform.os}-${platform.arch}`);
  const path = join(folder, name);
  if (existsSync(path)) return path;
  const waiting = (pid: number): void => progress.say(`${name}: process ${pid} is building it; waiting for it`);
  await withLock(join(folder, ".lock"), waiting, async () => {
    if (existsSync(path)) return;
    removeScratch(folder);
    progress.say(`${name} is not here yet: building it once from Go modules, kept in ${folder}`);
    const { package: source, ...rest } = tools[name];
    await buildGo({ module: name, packages: { [name]: source }, ...rest }, folder, progress);
  });
  return path;
}
