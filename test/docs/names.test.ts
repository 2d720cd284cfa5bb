import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { Command } from "commander";
import { addChangeFlags, addFlags } from "../../src/cli/flags.ts";
import { commands } from "../../src/cli/program.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { settings as operatorSettings } from "../../src/process/settings.ts";
import { settingsTable as simulatorSettings } from "../../src/simulator/server/settings/settings-table.ts";
import { documentedMetrics } from "../process/reference.ts";
import { filesOf, root } from "../support/sources.ts";
import { code } from "./guides.ts";

/** What a guide calls by name exists under that name. */
const table = [...Object.values(operatorSettings), ...Object.values(simulatorSettings)];
const flags = new Set(["--help", "--version", ...table.map(({ flag }) => flag.split(" ")[0]), ...optionsOfCommands()]);
const variables = new Set(table.map(({ variable }) => variable));

/** Flags of Helm and V8. */
const foreign = new Set([
  "--force-conflicts",
  "--heap-growing-percent",
  "--max-semi-space-size",
  "--memory-saver-mode",
  "--optimize-for-size",
  "--reset-then-reuse-values",
  "--reuse-values",
  "--set",
  "--take-ownership",
  "--wait",
]);

/** A value that is shown to be refused. */
const wrong = "replica";

function optionsOfCommands(): string[] {
  const common = new Command();
  addFlags(common, ["table"]);
  addChangeFlags(common);
  return [...common.options, ...commands.flatMap(({ options = [] }) => options)].map(({ long }) => long ?? "");
}

describe("a guide names", () => {
  it("flags of the operator, the simulator and the command line that there are", () => {
    const ours = /^--|src\/main\.ts|simulator\/main\.ts|operator\.mjs|cloud-platform-simulator|make simulator|^args:/;
    const found = named(/(?<![\w-])--[a-z][a-z-]+/g, ours);
    expect(found.filter(({ name }) => !flags.has(name) && !foreign.has(name))).toEqual([]);
    expect(found.length).toBeGreaterThan(10);
  });

  it("environment variables that there are", () => {
    const found = named(/\bCLOUD_(?:PLATFORM|SIMULATOR)_[A-Z_]+\b/g);
    expect(found.filter(({ name }) => !variables.has(name))).toEqual([]);
    expect(found.length).toBeGreaterThan(5);
  });

  it("targets of make that there are", () => {
    const makefile = readFileSync(join(root, "Makefile"), "utf8");
    const found = named(/(?<!the )\bmake ((?:[a-z][a-z.-]* ?)+)/g).flatMap(({ path, name }) =>
      name
        .trim()
        .split(" ")
        .map((target) => ({ path, target })),
    );
    expect(found.filter(({ target }) => !makefile.includes(`\n${target}:`))).toEqual([]);
    expect(found.length).toBeGreaterThan(10);
  });

  it("every Secret that a kind reads, with its key", () => {
    const guide = readFileSync(join(root, "docs", "secrets.md"), "utf8");
    const read = kinds.flatMap(({ kind, references = {} }) =>
      Object.values(references).flatMap((one) =>
        "secret" in one && one.in !== "ConfigMap" ? [{ kind, key: one.key }] : [],
      ),
    );
    const told = ({ kind, key }: { kind: string; key: string }) =>
      guide.split("\n").some((line) => line.startsWith(`| ${kind} \``) && line.includes(`\`${key}\``));
    expect(read.filter((one) => !told(one))).toEqual([]);
    expect(read.length).toBeGreaterThan(5);
  });

  it("metrics that the reference of metrics has", () => {
    const known = documentedMetrics().map(({ name }) => name);
    const found = named(/\b(?:cloudplatform|workqueue|controller_runtime|rest_client|leader_election)_[a-z_]*/g);
    const stray = found.filter(({ name }) => !known.some((one) => name === one || isPrefix(name, one)));
    expect(stray).toEqual([]);
    expect(found.length).toBeGreaterThan(5);
  });

  it("annotations and finalizers that the source has", () => {
    const source = filesOf("src/**/*.ts")
      .map(({ text }) => text)
      .join("\n");
    const found = named(/(?<![.\w])cloudplatform\.dev\/(?!v\d)[a-z]+(?:-[a-z]+)*/g);
    expect(found.filter(({ name }) => !source.includes(`"${name}"`))).toEqual([]);
    expect(found.length).toBeGreaterThan(5);
  });

  it("values that the chart has", () => {
    const schema = JSON.parse(readFileSync(join(root, "charts/cloud-platform-operator/values.schema.json"), "utf8"));
    const set = named(/--set '?([a-zA-Z][\w.]*)=/g);
    const roots = Object.keys((schema as Node).properties ?? {}).join("|");
    const said = named(new RegExp(`^((?:${roots})(?:\\.[a-zA-Z]+)+)(?:=.*)?$`, "g"));
    const found = [...set, ...said].filter(({ name }) => name !== wrong);
    expect(found.filter(({ name }) => !has(schema as Node, name.split(".")))).toEqual([]);
    expect(found.length).toBeGreaterThan(15);
  });

  it("fields that a kind has", () => {
    const schemas = filesOf("crds/*.yaml").map(({ text }) => schemaOf(text));
    const found = named(/^((?:spec|status)(?:\.[a-zA-Z]+)+)(?:: .*)?$/g);
    expect(found.filter(({ name }) => !schemas.some((schema) => has(schema, name.split("."))))).toEqual([]);
    expect(found.length).toBeGreaterThan(10);
  });
});

/** What the pattern, or its group, finds in the lines of code that `where` lets through. */
function named(pattern: RegExp, where = /(?:)/): { path: string; name: string }[] {
  return code
    .flatMap(({ path, text }) =>
      text
        .replaceAll(/\\\n\s*/g, "")
        .split("\n")
        .map((line) => ({ path, line })),
    )
    .filter(({ line }) => where.test(line))
    .flatMap(({ path, line }) => [...line.matchAll(pattern)].map((match) => ({ path, name: match[1] ?? match[0] })));
}

/** `cloudplatform_` stands for all that begin so; a histogram's parts for the whole. */
function isPrefix(name: string, metric: string): boolean {
  return (name.endsWith("_") && metric.startsWith(name)) || /^_(bucket|sum|count)$/.test(name.replace(metric, ""));
}

interface Node {
  properties?: Record<string, Node>;
  additionalProperties?: Node | boolean;
  items?: Node;
}

function has(schema: Node | undefined, [first, ...rest]: string[]): boolean {
  if (schema === undefined) return false;
  if (first === undefined || isOpen(schema)) return true;
  const { properties, additionalProperties, items } = schema;
  if (items) return has(items, [first, ...rest]);
  const next = properties?.[first] ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
  return next !== undefined && has(next, rest);
}

/** Whatever Kubernetes has there. */
function isOpen(schema: Node): boolean {
  return Object.keys(schema).length === 0;
}

function schemaOf(definition: string): Node {
  const { spec } = parse(definition) as { spec: { versions: { schema: { openAPIV3Schema: Node } }[] } };
  return spec.versions[0]?.schema.openAPIV3Schema ?? {};
}
