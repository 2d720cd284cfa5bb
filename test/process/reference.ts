import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../support/sources.ts";

export interface MetricRow {
  name: string;
  type: string;
  labels: string[];
  meaning: string;
}

/** The metrics in the tables of docs/observability.md. */
export function documentedMetrics(): MetricRow[] {
  const text = readFileSync(join(root, "docs", "observability.md"), "utf8");
  const rows = text.matchAll(/^\| `([a-z_\d]+)` \| (counter|gauge|histogram|summary) \|([^|]*)\| (.*) \|$/gm);
  return [...rows].map(([, name = "", type = "", labels = "", meaning = ""]) => ({
    name,
    type,
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label),
    meaning: meaning.replaceAll("`", ""),
  }));
}

export interface Sample {
  /** Without the ending of a histogram's parts. */
  metric: string;
  labels: Record<string, string>;
}

/** What a page in Prometheus' text format says: types, and samples by the metric they belong to. */
export function parsePage(page: string): { types: Map<string, string>; samples: Sample[] } {
  const types = new Map([...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => [name, type]));
  const samples = [...page.matchAll(/^([a-z_\d]+)(?:\{(.*)\})? \S+$/gm)].map(([, name = "", inside = ""]) => {
    const family = name.replace(/_(bucket|sum|count)$/, "");
    const labels = [...inside.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = "", value = ""]) => [key, value]);
    return { metric: types.has(name) ? name : family, labels: Object.fromEntries(labels) as Record<string, string> };
  });
  return { types, samples };
}
