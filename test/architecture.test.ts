import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesOf, root, sourcesOf } from "./support/sources.ts";
import type { Import, Source } from "./support/sources.ts";

/** What each room may import of others; `types` also counts what is of a type only. */
const rules: Record<string, { values: string[]; types: string[] }> = {
  queue: { values: [], types: [] },
  api: { values: [], types: ["queue"] },
  cluster: { values: [], types: ["queue"] },
  // An error is told apart by its class.
  observe: { values: ["src/api/errors.ts"], types: ["api", "queue"] },
  core: { values: [], types: ["api", "cluster", "observe", "queue"] },
  kinds: { values: ["core"], types: ["api"] },
  generate: { values: ["kinds", "core"], types: [] },
  simulator: { values: [], types: ["queue"] },
  wiring: { values: ["api", "cluster", "core", "kinds", "observe", "queue"], types: [] },
  process: { values: [], types: ["api", "cluster", "observe", "queue"] },
  cli: { values: ["api", "cluster", "core", "generate", "kinds", "observe", "process"], types: ["queue"] },
};

const sources = sourcesOf("src");
const everything = [...sources, ...sourcesOf("test", "tools", "bench")];

describe("the import rule", () => {
  it.each(Object.entries(rules))("%s imports what it may", (room, { values, types }) => {
    const allowed = ({ target: file, room: target, typeOnly }: Import): boolean =>
      values.includes(file) ||
      target === undefined ||
      target === room ||
      values.includes(target) ||
      (typeOnly && types.includes(target));
    expect(offences(room, (source) => source.imports.filter((each) => !allowed(each)).map(describeImport))).toEqual([]);
  });

  it("knows every room", () => {
    const rooms = new Set(sources.flatMap(({ room }) => (room === undefined || room.endsWith(".ts") ? [] : [room])));
    expect([...rooms].filter((room) => !(room in rules))).toEqual([]);
  });

  it("is checked against imports that are really found", () => {
    const found = sources.flatMap((source) => source.imports).filter(({ room }) => room === "core");
    expect(found.length).toBeGreaterThan(10);
  });
});

describe("a thing that one room alone may use", () => {
  it.each([
    ["undici", ["api", "cluster"], "pooled transports, one to the cloud and one to the API server"],
    ["@kubernetes/client-node", ["cluster"], "what it does badly stays behind one room"],
    ["fastify", ["simulator"], "the operator serves no API"],
    ["node:sqlite", ["simulator"], "the operator keeps nothing of its own"],
    ["pino", ["process"], "others are handed a log"],
    ["commander", ["process", "cli", "simulator", "generate"], "programs, not libraries, read command lines"],
    ["@prometheus-io/client", ["process"], "others tell what happened, and are asked what is"],
    ["@opentelemetry/api", ["process"], "others know nothing of traces, so that without them nothing of it is loaded"],
  ])("%s", (name, rooms, _reason) => {
    const users = sources.filter((source) => source.imports.some((each) => each.target === name && !each.typeOnly));
    expect(outside(users, rooms)).toEqual([]);
  });

  it.each([
    [/(?<![.\w])fetch\(/, ["api"], "the cloud's API has one client"],
    [/\bprocess\.env\b/, ["process"], "settings come from one table"],
    [/\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/, ["process"], "time is handed in"],
    [/(?<![.\w])set(Timeout|Interval)\(/, ["process"], "time is handed in"],
    [/\bconsole\./, ["cli", "generate"], "a log has fields and levels"],
  ])("%s", (pattern, rooms, _reason) => {
    // The simulator has a clock of its own, which may read time; programs may speak to their terminal.
    const programs = sources.filter(({ path }) => path !== "src/simulator/clock.ts" && !path.endsWith("/main.ts"));
    expect(
      outside(
        programs.filter(({ code }) => pattern.test(code)),
        rooms,
      ),
    ).toEqual([]);
  });
});

it("no folder has a name that says nothing", () => {
  const vague = new Set(["utils", "util", "helpers", "common", "manager", "managers", "service", "services", "misc"]);
  const folders = new Set(everything.flatMap(({ path }) => dirname(path).split("/")));
  expect([...folders].filter((folder) => vague.has(folder))).toEqual([]);
});

it("no file only passes on what others export", () => {
  const passing = everything.filter(
    ({ code, path }) => /^export\s.*\sfrom\s/m.test(code) || basename(path) === "index.ts",
  );
  expect(passing.map(({ path }) => path)).toEqual([]);
});

it("no file is longer than 400 lines", () => {
  const long = everything.map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }));
  expect(long.filter(({ lines }) => lines > 400)).toEqual([]);
});

it("nothing is left for later: no mark of unfinished work, no skipped test, no switched-off check", () => {
  const marks = /\b(TODO|FIXME|XXX)\b|\b(it|test|describe)\.(skip|only|todo)\b|@ts-(ignore|expect-error|nocheck)\b/;
  const here = "test/architecture.test.ts";
  expect(everything.filter(({ path, text }) => path !== here && marks.test(text)).map(({ path }) => path)).toEqual([]);
});

it("every room opens with what it is for", () => {
  const silent = Object.keys(rules).filter((room) => {
    const files = sources.filter((source) => source.room === room && dirname(source.path) === `src/${room}`);
    return files.length > 0 && !files.some(({ text }) => /\bimports?\b/i.test(openingComment(text)));
  });
  expect(silent).toEqual([]);
});

describe("what is committed names", () => {
  const written = filesOf(
    "{src,test,tools,bench,docs,deploy,charts,crds,.ci}/**/*.{ts,md,yaml,yml,json,tpl}",
    "*.{md,json,ts}",
    ".*rc{,.json}",
    "{Makefile,Dockerfile,.ci/run}",
  );

  // By digest, since naming them here would be naming them.
  const forbidden = new Set([
    "200e997d97c7a78a",
    "324c5b53343048fe",
    "a3c4d61dbebabbaf",
    "0dc11026ac75c015",
    "00a7dc5a0cc38858",
    "9da5f32d96412512",
    "a4aa2ac280bb8d1a",
    "05b16d11407cc4e4",
  ]);

  // The service's public clients, which the simulator is tried with, are called by its brand.
  const naming = /^(test\/simulator\/clients\/|package(-lock)?\.json$)/;

  it("no brand of the service and no package registry", () => {
    const found = written
      .filter(({ path }) => !naming.test(path))
      .flatMap(({ path, text }) =>
        [...new Set(text.toLowerCase().match(/[a-z]+(\.[a-z]+)*/g))]
          .flatMap((word) => word.split(".").concat(word))
          .filter((word) => forbidden.has(createHash("sha256").update(word).digest("hex").slice(0, 16)))
          .map((word) => `${path}: ${word}`),
      );
    expect(found).toEqual([]);
  });

  it("no folder of the machine it was written on", () => {
    const foreign = new RegExp(`${["", "root", ""].join("/")}|/home/(?!nonroot)\\w|${["", "work", ""].join("/")}`);
    expect(written.filter(({ text }) => foreign.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it("no host in the lock file", () => {
    expect(filesOf("package-lock.json")[0]?.text).not.toContain('"resolved"');
  });
});

it("the commands of the README exist", () => {
  const targets = [...(filesOf("README.md")[0]?.text ?? "").matchAll(/\bmake ([a-z-]+(?:\.yaml)?)/g)].map(
    ([, target]) => target,
  );
  const makefile = filesOf("Makefile")[0]?.text ?? "";
  expect(targets.filter((target) => !makefile.includes(`\n${target}:`))).toEqual([]);
  expect(existsSync(join(root, ".ci", "run"))).toBe(true);
});

function openingComment(text: string): string {
  return /^(\/\*[\s\S]*?\*\/|(\/\/.*\n)+)/.exec(text)?.[0] ?? "";
}

function offences(room: string, check: (source: Source) => string[]): string[] {
  const files = sources.filter((source) => source.room === room);
  return files.flatMap((source) => check(source).map((offence) => `${source.path}: ${offence}`));
}

function outside(users: Source[], rooms: string[]): string[] {
  return users.filter(({ room }) => room === undefined || !rooms.includes(room)).map(({ path }) => path);
}

function describeImport({ target, typeOnly }: Import): string {
  return typeOnly ? `type of ${target}` : target;
}
