import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
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

/** One verdict for each object, in order. */
export async function verdictsOn(objects: unknown[]): Promise<Verdicts[]> {
  const input = JSON.stringify({ lua: healthScript, flux: fluxExpressions, objects });
  const output = execFileSync(await ensureGoTool("gitops-health"), { input, maxBuffer: 256 * 1024 * 1024 });
  return JSON.parse(output.toString()) as Verdicts[];
}

function expressionsOf(guide: string): Record<string, string> {
  const found = [...guide.matchAll(/^ {6}(current|failed|inProgress): "?(.*?)"?$/gm)];
  return Object.fromEntries(found.map(([, name = "", expression = ""]) => [name, expression]));
}
