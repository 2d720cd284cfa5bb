import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { ensureGoTool } from "../../tools/go-tool/ensure.ts";
import { clusterConfiguration } from "../../tools/kind/configuration.ts";

interface Workflow {
  on: { schedule?: { cron: string }[] };
  permissions: Record<string, string>;
  jobs: Record<string, Job>;
}

interface Job {
  "timeout-minutes"?: number;
  strategy?: { matrix: { targets: string[] } };
  steps: { uses?: string; run?: string }[];
}

const folder = ".github/workflows";
const texts = readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));

test("actionlint has nothing to say", async () => {
  const files = texts.map(({ name }) => join(folder, name));
  const output = execFileSync(await ensureGoTool("actionlint"), ["-no-color", "-shellcheck=", "-pyflakes=", ...files]);
  expect(output.toString()).toBe("");
});

test.for(texts)("$name: actions by commit, rights given one by one, an end to every job", ({ text }) => {
  const { permissions, jobs } = parse(text) as Workflow;
  for (const line of text.split("\n").filter((each) => each.includes("uses:")))
    expect(line).toMatch(/uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  expect(permissions).toEqual({ contents: "read" });
  for (const job of Object.values(jobs)) expect(job["timeout-minutes"]).toBeGreaterThan(0);
});

test.for(texts)("$name: no text from outside is put into a script", ({ text }) => {
  const { jobs } = parse(text) as Workflow;
  const scripts = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run = [] }) => run));
  expect(scripts.filter((script) => script.includes("${{"))).toEqual([]);
});

test("a scheduled workflow runs every command of the README", () => {
  const table = readFileSync("README.md", "utf8").split("\n## Commands\n")[1]?.split("\n## ")[0] ?? "";
  const rows = table.split("\n").flatMap((line) => (line.startsWith("| `") ? [line.split(" | ")[0] ?? ""] : []));
  const commands = rows.flatMap((row) =>
    [...row.matchAll(/`make ([a-z.-]+)`/g)].flatMap(([, target = ""]) => [target]),
  );
  const scheduled = texts.map(({ text }) => parse(text) as Workflow).filter(({ on }) => on.schedule);
  const run = new Set(scheduled.flatMap(({ jobs }) => Object.values(jobs).flatMap(targetsOf)));
  expect(commands.length).toBeGreaterThan(8);
  expect(commands.filter((target) => !run.has(target))).toEqual([]);
});

/** Returns the targets of make that a job runs: by its scripts, and by a matrix whose `targets` a script runs as `make $TARGETS`. */
function targetsOf({ steps, strategy }: Job): string[] {
  const scripts = steps.flatMap(({ run = [] }) => run);
  const named = scripts.flatMap((script) =>
    [...script.matchAll(/\bmake ([a-z][a-z. -]*)/g)].map(([, one = ""]) => one),
  );
  const matrix = scripts.some((script) => script.includes("make $TARGETS")) ? strategy?.matrix.targets : undefined;
  return [...named, ...(matrix ?? [])].flatMap((targets) => targets.trim().split(" "));
}

test("package and chart name the same version, so that a tag can name it", () => {
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  const chart = parse(readFileSync("charts/cloud-platform-operator/Chart.yaml", "utf8")) as Record<string, unknown>;
  expect(chart).toMatchObject({ version, appVersion: version });
});

test("kind's API server is told to write the audit log that the cluster tests read", () => {
  const scratch = mkdtempSync(join(tmpdir(), "kind-"));
  const { nodes } = parse(clusterConfiguration(scratch, join(scratch, "audit"))) as {
    nodes: { kubeadmConfigPatches: string[]; extraMounts: { hostPath: string; containerPath: string }[] }[];
  };
  rmSync(scratch, { recursive: true });
  const [node] = nodes;
  const { apiServer } = parse(node?.kubeadmConfigPatches[0] ?? "") as {
    apiServer: { extraArgs: Record<string, string>; extraVolumes: { hostPath: string; mountPath: string }[] };
  };
  const policy = apiServer.extraArgs["audit-policy-file"];
  const mounted = node?.extraMounts.map(({ containerPath }) => containerPath) ?? [];
  expect(mounted).toContain(policy);
  expect(mounted.some((path) => apiServer.extraArgs["audit-log-path"] === `${path}/audit.log`)).toBe(true);
  expect(apiServer.extraVolumes.map(({ hostPath }) => hostPath).toSorted()).toEqual(mounted.toSorted());
});
