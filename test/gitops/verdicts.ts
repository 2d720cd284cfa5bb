import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { ensureGoTool } from "../../tools/go-tool/ensure.ts";

export interface Verdict {
  status: string;
  message: string;
}

/** What GitOps tools make of an object, by their own code. */
export interface Verdicts {
  /** As Flux and Helm wait. */
  kstatus: Verdict;
  /** Our health script in Argo CD's Lua. */
  argo: Verdict;
  /** Our health expressions in Flux's CEL. */
  flux: Verdict;
}

export const customization = "deploy/argocd/resource_customizations/cloudplatform.dev/_";
export const healthScript = readFileSync(join(customization, "health.lua"), "utf8");

/** The expressions that the guide gives, read off the guide. */
export const fluxExpressions = expressionsOf(readFileSync("docs/gitops.md", "utf8"));

/** Returns one verdict for each object, in order. Operators and simulators of the same process go on while the program runs. */
export async function verdictsOn(objects: unknown[]): Promise<Verdicts[]> {
  const input = JSON.stringify({ lua: healthScript, flux: fluxExpressions, objects });
  const running = promisify(execFile)(await ensureGoTool("gitops-health"), [], { maxBuffer: 256 * 1024 * 1024 });
  running.child.stdin?.end(input);
  return JSON.parse((await running).stdout) as Verdicts[];
}

function expressionsOf(guide: string): Record<string, string> {
  const found = [...guide.matchAll(/^ {6}(current|failed|inProgress): "?(.*?)"?$/gm)];
  return Object.fromEntries(found.map(([, name = "", expression = ""]) => [name, expression]));
}
