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
  // An error is told apart by its class. How soon to look again is one rule for rows and deletions.
  observe: { values: ["src/api/errors.ts", "src/queue/backoff.ts", "src/queue/patience.ts"], types: ["api", "queue"] },
  core: { values: ["src/queue/backoff.ts", "src/queue/patience.ts"], types: ["api", "cluster", "observe", "queue"] },
  kinds: { values: ["core"], types: ["api"] },
  generate: { values: ["kinds", "core"], types: [] },
  simulator: { values: [], types: ["queue"] },
  wiring: { values: ["api", "cluster", "core", "kinds", "observe", "queue"], types: [] },
  twin: {
    values: ["api", "cluster", "core", "generate", "kinds", "observe", "queue", "simulator", "wiring"],
    types: [],
  },
  process: { values: [], types: ["api", "cluster", "observe", "queue"] },
  cli: { values: ["api", "cluster", "core", "generate", "kinds", "observe", "process", "twin"], types: ["queue"] },
};

const simulator = "src/simulator/";

/** What each area of the simulator may import of other areas: an area whole, or one file of it; all may import the server. */
const areaRules: Record<string, string[]> = {
  account: [],
  betas: [],
  catalog: [],
  compute: ["account/funds.ts", "catalog", "images", "networking", "profile/tables.ts", "tags/use-tags.ts"],
  databases: ["catalog", "compute/catalogs/tables.ts"],
  domains: ["tags/use-tags.ts"],
  images: ["catalog/offers.ts", "compute/instance-entity.ts", "compute/tables.ts"],
  networking: [
    "catalog/offers.ts",
    "catalog/tables.ts",
    "compute/instance-entity.ts",
    "compute/tables.ts",
    "domains/names.ts",
    "domains/tables.ts",
    "tags/use-tags.ts",
  ],
  objectstorage: ["account/funds.ts", "catalog/catalog-operations.ts", "catalog/load-catalog.ts", "catalog/tables.ts"],
  profile: ["compute/tables.ts", "databases/tables.ts", "domains/tables.ts", "images/tables.ts"],
  tags: [
    "compute",
    "domains/stored-domains.ts",
    "domains/tables.ts",
    "networking/addresses",
    "networking/firewalls/tables.ts",
  ],
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

describe("in the simulator", () => {
  const files = sources.filter(({ room }) => room === "simulator");

  it.each(Object.entries(areaRules))("%s imports the server and what it may of other areas", (area, allowed) => {
    const taken = files.filter(({ path }) => areaOf(path) === area).flatMap(({ imports }) => imports);
    const others = taken.map(({ target }) => target).filter((target) => areaOf(target) in areaRules);
    const foreign = others.filter((target) => areaOf(target) !== area).map((target) => target.slice(simulator.length));
    expect(foreign.filter((target) => !allowed.some((each) => isWithin(target, each)))).toEqual([]);
    expect(allowed.filter((each) => !foreign.some((target) => isWithin(target, each)))).toEqual([]);
  });

  it("every folder but the server is an area with a rule", () => {
    const folders = new Set(files.map(({ path }) => areaOf(path)).filter((area) => area !== ""));
    expect([...folders].sort()).toEqual([...Object.keys(areaRules), "server"].sort());
  });

  it("the server imports no area; the registry of what areas hand to it is for simulator.ts alone", () => {
    const registry = `${simulator}registry.ts`;
    const server = files.filter(({ path }) => areaOf(path) === "server");
    const foreign = server.flatMap(({ path, imports }) =>
      imports.filter(({ target }) => areaOf(target) in areaRules).map(({ target }) => `${path}: ${target}`),
    );
    expect(foreign).toEqual([]);
    const users = files.filter(({ imports }) => imports.some(({ target }) => target === registry));
    expect(users.map(({ path }) => path)).toEqual([`${simulator}simulator.ts`]);
  });

  it("at the top stand the program, the library and what is generated", () => {
    const top = files.filter(({ path }) => areaOf(path) === "").map(({ path }) => basename(path));
    expect(top.sort()).toEqual(["main.ts", "registry.ts", "simulator.ts"]);
  });

  it("no folder holds more than 16 files, and no file more than 250 lines", () => {
    const folders = Map.groupBy(files, ({ path }) => dirname(path));
    expect([...folders].filter(([, within]) => within.length > 16).map(([folder]) => folder)).toEqual([]);
    expect(files.filter(({ text }) => text.split("\n").length > 251).map(({ path }) => path)).toEqual([]);
  });
});

describe("a thing that one room alone may use", () => {
  it.each([
    [
      "undici",
      ["api", "cluster", "twin"],
      "pooled transports, one to the cloud and one to the API server, and one in memory",
    ],
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
    const programs = sources.filter(
      ({ path }) => path !== "src/simulator/server/clock.ts" && !path.endsWith("/main.ts"),
    );
    expect(
      outside(
        programs.filter(({ code }) => pattern.test(code)),
        rooms,
      ),
    ).toEqual([]);
  });
});

it("what happens to an object is announced in one way, as an event and as a log line", () => {
  const emitting = sources.filter(({ code, room }) => room === "core" && /\bevents\.emit\(|\bemit\(/.test(code));
  expect(emitting.map(({ path }) => path)).toEqual(["src/core/store/announce.ts"]);
});

it("one function of the core names objects in messages, so that no tenant reads names of other tenants", () => {
  const naming = sources.filter(({ code, path }) => path.startsWith("src/core/") && /\bnameOfKey\b/.test(code));
  // The owner of an account may read which objects of other namespaces use the account.
  const reader = "src/core/read/users.ts";
  expect(
    naming
      .map(({ path }) => path)
      .filter((path) => path !== reader)
      .toSorted(),
  ).toEqual(["src/core/kind/resource.ts", "src/core/model/owners.ts"]);
});

it("every request that changes the cloud leaves by core/send", () => {
  const senders = sources.filter(
    ({ code, room }) => (room === "core" || room === "kinds") && /\bclient\.send\(|\.sendToUrl\(/.test(code),
  );
  expect(senders.map(({ path }) => path)).toEqual(["src/core/send/change.ts"]);
});

it("the command line cannot name a mutating request of the cloud", () => {
  const cli = sources.filter(({ room }) => room === "cli");
  expect(cli.length).toBeGreaterThan(10);
  const clients = cli.filter(({ code }) => /\bcreateCloudClient\b|\bCloudClient\b/.test(code));
  expect(clients.map(({ path }) => path)).toEqual(["src/cli/account/open.ts"]);
  expect(cli.filter(({ code }) => /\.(send|reserve|sendToUrl)\(/.test(code)).map(({ path }) => path)).toEqual([]);
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

describe("the core", () => {
  /** From the lowest to the highest. */
  const layers = ["kind", "account", "watch", "model", "read", "store", "secrets", "send", "shapes", "lifecycle"];
  const layerOf = (path: string): number => layers.indexOf(/^src\/core\/([^/]+)\//.exec(path)?.[1] ?? "");
  const core = sources.filter(({ room }) => room === "core");

  it("has no file outside of a layer", () => {
    expect(core.filter(({ path }) => layerOf(path) === -1).map(({ path }) => path)).toEqual([]);
  });

  it.each(layers)("layer %s imports values of lower layers only", (layer) => {
    const own = layers.indexOf(layer);
    const files = core.filter(({ path }) => layerOf(path) === own);
    const upward = files.flatMap(({ path, imports }) =>
      imports
        .filter(({ target, typeOnly }) => !typeOnly && layerOf(target) > own)
        .map(({ target }) => `${path}: ${target}`),
    );
    expect(files.length).toBeGreaterThan(3);
    expect(upward).toEqual([]);
  });
});

it("no file that defines a kind is longer than 150 lines", () => {
  const definitions = everything.filter(
    ({ path, code }) => path.startsWith("src/kinds/") && /= define[A-Z]\w+\(/.test(code),
  );
  expect(definitions.length).toBeGreaterThan(35);
  expect(definitions.filter(({ text }) => text.split("\n").length > 151).map(({ path }) => path)).toEqual([]);
});

it("nothing is left for later: no mark of unfinished work, no skipped test, no switched-off check", () => {
  const marks = /\b(TODO|FIXME|XXX)\b|\b(it|test|describe)\.(skip|only|todo)\b|@ts-(ignore|expect-error|nocheck)\b/;
  const here = "test/architecture.test.ts";
  expect(everything.filter(({ path, text }) => path !== here && marks.test(text)).map(({ path }) => path)).toEqual([]);
});

it("no files import each other in a circle, types counted", () => {
  const targets = new Map(sources.map(({ path, imports }) => [path, imports.map(({ target }) => target)]));
  expect(circlesIn(targets)).toEqual([]);
});

it("every room opens with what it is for", () => {
  const silent = [...Object.keys(rules), ...roomsBelow("core"), ...roomsBelow("simulator")].filter((room) => {
    const files = sources.filter((source) => dirname(source.path) === `src/${room}`);
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

  const isForbidden = (word: string): boolean =>
    forbidden.has(createHash("sha256").update(word).digest("hex").slice(0, 16));

  // The README names the cloud. The public clients of the service, which use the simulator, have its brand in their names.
  // The operator suggests the brand words of known services (`brand-word.ts`). The types of the Terraform provider begin with the brand.
  const naming =
    /^(README\.md$|docs\/move-from-terraform\.md$|(src|test)\/cli\/terraform\/|test\/simulator\/clients\/|package(-lock)?\.json$)|\/account\/brand-word\./;

  it("no brand of the service and no package registry", () => {
    // Each word once: most stand in many files.
    const files = new Map<string, string>();
    for (const { path, text } of written.filter((file) => !naming.test(file.path)))
      for (const word of text.toLowerCase().match(/[a-z]+(\.[a-z]+)*/g) ?? []) files.set(word, path);
    const found = [...files].filter(([word]) => [word, ...word.split(".")].some(isForbidden));
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

/** Rooms within a room, each with a duty of its own. */
function roomsBelow(room: string): string[] {
  const folders = sources.map(({ path }) => dirname(path).slice("src/".length));
  return [...new Set(folders)].filter((folder) => folder.startsWith(`${room}/`));
}

/** The folder of a file of the simulator; `` for a file at its top and outside of it. */
function areaOf(path: string): string {
  return /^src\/simulator\/([^/]+)\//.exec(path)?.[1] ?? "";
}

/** Whether a path is a file, or lies in a folder. */
function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

/** Files that reach themselves by their imports. */
function circlesIn(targets: ReadonlyMap<string, string[]>): string[] {
  const reaches = (from: string): boolean => {
    const seen = new Set<string>();
    const open = [...(targets.get(from) ?? [])];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next === from) return true;
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(...(targets.get(next) ?? []));
    }
    return false;
  };
  return [...targets.keys()].filter(reaches);
}

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
