import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parse, stringify } from "yaml";
import { createMetrics } from "../../src/process/metrics.ts";
import { ensureGoTool } from "../../tools/go-tool/ensure.ts";
import { root } from "../support/sources.ts";
import { documentedMetrics } from "./reference.ts";

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}
interface Panel {
  id: number;
  title: string;
  type: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string }[];
}

const folder = join(root, "deploy", "monitoring");
const read = (name: string): string => readFileSync(join(folder, name), "utf8");
const { groups } = parse(read("alerts.yaml")) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(read("dashboard.json")) as { panels: Panel[]; templating: { list: { query: unknown }[] } };
const queries = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));

let promtool = "";
beforeAll(async () => void (promtool = await ensureGoTool("promtool")), 600_000);

function check(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(promtool, args, { cwd: folder, encoding: "utf8" });
  return { status, output: stdout + stderr };
}

/** A page of this repository, where people read it. */
const pageOf = /^https:\/\/github\.com\/cloud-platform-operator\/cloud-platform-operator\/blob\/main\/([^#]+)#(.+)$/;

it("Prometheus has nothing against the names of what is scraped", async () => {
  const none = () => [];
  const objects = () =>
    Promise.resolve({ conditions: [], notReady: [], uncertainCreates: [], leftToOthers: [], monthlyCosts: [] });
  const sources = { objects, snapshots: none };
  const more = { guards: none, feeds: none, rateLimits: none, queue: { keys: none }, workers: 1 };
  const metrics = createMetrics({ sources: { ...sources, ...more }, kinds: ["Domain"], apiServer: "x", version: "1" });
  const { body } = await metrics.render();
  const { status, stdout, stderr } = spawnSync(promtool, ["check", "metrics"], { input: body, encoding: "utf8" });
  expect(stdout + stderr).toBe("");
  expect(status).toBe(0);
});

describe("the alerts", () => {
  it("are accepted by Prometheus, with every lint", () => {
    expect(check("check", "rules", "--lint=all", "--lint-fatal", "alerts.yaml")).toMatchObject({ status: 0 });
  });

  it("each fire where they should, say what they should, and keep quiet where they should", () => {
    const { status, output } = check("test", "rules", "alerts.test.yaml");
    expect(output).toContain("SUCCESS");
    expect(status).toBe(0);
  });

  it("are each tested both ways", () => {
    const { tests } = parse(read("alerts.test.yaml")) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[];
    };
    const cases = tests.flatMap((test) => test.alert_rule_test);
    const untested = rules.filter(({ alert }) => {
      const own = cases.filter(({ alertname }) => alertname === alert);
      return !own.some(({ exp_alerts = [] }) => exp_alerts.length > 0) || own.every(({ exp_alerts }) => exp_alerts);
    });
    expect(untested.map(({ alert }) => alert)).toEqual([]);
  });

  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    "%s says for how long, how bad and what to do",
    (_, rule) => {
      expect(rule.for).toMatch(/^\d+[mh]$/);
      expect(rule.labels["severity"]).toMatch(/^(critical|warning|info)$/);
      expect(Object.keys(rule.annotations)).toEqual(["summary", "description", "runbook_url"]);
      const [, file = "", anchor = ""] = pageOf.exec(rule.annotations["runbook_url"] ?? "") ?? [];
      expect(existsSync(join(root, file))).toBe(true);
      const headings = [...readFileSync(join(root, file), "utf8").matchAll(/^#+ (.*)$/gm)].map(([, text = ""]) => text);
      expect(headings.map((text) => text.toLowerCase().replaceAll(" ", "-"))).toContain(anchor);
    },
  );
});

describe("the dashboard", () => {
  it("asks in PromQL that Prometheus understands", () => {
    const scratch = mkdtempSync(join(tmpdir(), "dashboard-"));
    onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
    const filled = (expr: string) => expr.replaceAll("$__rate_interval", "5m").replaceAll(/\$(namespace|job)\b/g, ".*");
    const asRules = queries.map(({ expr }, index) => ({ record: `panel:${index}`, expr: filled(expr) }));
    writeFileSync(join(scratch, "rules.yaml"), stringify({ groups: [{ name: "dashboard", rules: asRules }] }));
    const { status, output } = check("check", "rules", join(scratch, "rules.yaml"));
    expect(output).toContain(`${queries.length} rules found`);
    expect(status).toBe(0);
  });

  it("has panels that lie beside each other, each with an id and a title of its own in its row", () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const over = (a: Panel["gridPos"], b: Panel["gridPos"]) =>
      a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
    const clashes = panels.filter((one) => panels.some((other) => one !== other && over(one.gridPos, other.gridPos)));
    expect(clashes.map(({ title }) => title)).toEqual([]);
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
    expect(
      panels.filter(({ title, type, targets = [] }) => title === "" || (type !== "row" && targets.length === 0)),
    ).toEqual([]);
  });
});

/** Labels that Prometheus adds to what it scrapes, and the bound of a histogram's bucket. */
const added = ["namespace", "job", "instance", "pod", "le"];
const words = new Set(["and", "or", "unless", "by", "without", "on", "ignoring", "bool", "offset"]);

/** Every metric that an expression names, and every label that it asks for or groups by. */
function namesIn(expr: string): { metrics: string[]; labels: string[] } {
  const groupings = [...expr.matchAll(/\b(?:by|without|on|ignoring) \(([^)]*)\)/g)].map(([, list = ""]) => list);
  const matchers = [...expr.matchAll(/\{([^}]*)\}/g)].map(([, inside = ""]) => inside.replaceAll(/"[^"]*"/g, ""));
  const labels = [...groupings, ...matchers].flatMap((list) =>
    [...list.matchAll(/[a-z_]\w*/g)].map(([label]) => label),
  );
  const bare = expr
    .replaceAll(/\b(?:by|without|on|ignoring) \([^)]*\)/g, " ")
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"/g, " ");
  const metrics = [...bare.matchAll(/[a-zA-Z_:][\w:]*(?!\w|\s*\()/g)].map(([name]) => name);
  return { metrics: metrics.filter((name) => !words.has(name)), labels };
}

it.each([
  ["an alert", rules.map(({ expr }) => expr)],
  ["a panel", queries.map(({ expr }) => expr)],
])("%s names no metric that the operator does not have, and no label", (_, expressions) => {
  const known = new Map(documentedMetrics().map(({ name, labels }) => [name, labels]));
  const family = (name: string) => (known.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ""));
  for (const expr of expressions) {
    const { metrics, labels } = namesIn(expr);
    expect(metrics.length, expr).toBeGreaterThan(0);
    expect(
      metrics.filter((name) => !known.has(family(name))),
      expr,
    ).toEqual([]);
    const possible = new Set([...added, ...metrics.flatMap((name) => known.get(family(name)) ?? [])]);
    expect(
      labels.filter((label) => !possible.has(label)),
      expr,
    ).toEqual([]);
  }
});

it("finds a metric and a label that do not exist", () => {
  expect(namesIn('sum by (le, kin) (rate(no_such_metric{job=~"$job", x="y"}[5m])) > 0 and up')).toEqual({
    metrics: ["no_such_metric", "up"],
    labels: ["le", "kin", "job", "x"],
  });
});
