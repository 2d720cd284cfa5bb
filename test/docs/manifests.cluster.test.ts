import { beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments, stringify } from "yaml";
import { must } from "../../tools/demo/install.ts";
import { helm, rendered } from "../chart/rendered.ts";
import type { Manifest } from "../chart/rendered.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { installDefinitions } from "../support/definitions.ts";
import { clusterTest } from "../support/namespace.ts";
import { runCli } from "../cli/run.ts";
import { withoutRiskWarnings } from "../support/risk-warnings.ts";
import { guides } from "./guides.ts";

/** YAML blocks, and what commands are given on standard input. */
const texts = guides.flatMap(({ path, blocks }) =>
  blocks.flatMap(({ language, text }) => [
    ...(language === "yaml" ? [{ path, text }] : []),
    ...[...text.matchAll(/<<'END'\n([\s\S]*?)^END$/gm)].map(([, input = ""]) => ({ path, text: input })),
  ]),
);
const documents = texts.flatMap(({ path, text }) =>
  parseAllDocuments(text).map((one) => ({ path, errors: one.errors, value: one.toJS() as Partial<Manifest> | null })),
);
const objects = documents.flatMap(({ path, value }) =>
  value?.apiVersion?.startsWith("cloudplatform.dev/") ? [{ path, object: value as Manifest }] : [],
);

describe("YAML in a guide", () => {
  it("can be read", () => {
    expect(documents.flatMap(({ path, errors }) => errors.map((error) => `${path}: ${error.message}`))).toEqual([]);
    expect(objects.length).toBeGreaterThan(10);
  });

  clusterTest("of a kind is accepted by the API server", async ({ cluster, namespace }) => {
    await installDefinitions(cluster.kubectl);
    const refused: string[] = [];
    for (const { path, object } of objects) {
      const input = stringify({ ...object, metadata: { ...object.metadata, namespace } });
      const { code, stderr } = await cluster.kubectl(["apply", "--dry-run=server", "-f", "-"], { input });
      const said = withoutRiskWarnings(stderr);
      if (code !== 0 || said !== "") refused.push(`${path}, ${object.kind} ${object.metadata.name}: ${stderr}`);
    }
    expect(refused).toEqual([]);
  });

  it("of values is taken by the chart", async () => {
    const values = texts.filter(({ text }) => text.startsWith("# values.yaml"));
    for (const { text } of values) await rendered(parseAllDocuments(text)[0]?.toJS() as object);
    expect(values.length).toBeGreaterThan(0);
  });
});

describe("a flag in a guide is one of", () => {
  let shared: string;
  const { kubectl } = sharedControlPlane();
  beforeAll(async () => {
    shared = await must(kubectl, ["options"]);
  });

  it("kubectl", async () => {
    const help = async ([first = "", ...words]: string[]): Promise<string> =>
      first === "cloudplatform" ? (await runCli([...words, "--help"])).out : must(kubectl, [first, ...words, "--help"]);
    const unknown = await unknownFlags("kubectl", async (words) => `${await help(words)}${shared}`);
    expect(unknown).toEqual([]);
  });

  it("helm", async () => {
    const unknown = await unknownFlags("helm", async (words) => (await helm([...words, "--help"])).stdout);
    expect(unknown).toEqual([]);
  });
});

/** Groups of commands, whose own name says nothing yet. */
const groups = new Set([
  "cloudplatform",
  "cloudplatform import",
  "config",
  "create",
  "create secret",
  "set",
  "auth",
  "rollout",
  "registry",
]);

/** Flags in the commands of this program that its help does not name. */
async function unknownFlags(program: string, helpFor: (words: string[]) => Promise<string>): Promise<string[]> {
  const known = new Map<string, string>();
  const unknown: string[] = [];
  for (const { path, command } of commandsOf(program)) {
    const words = verbOf(command);
    const help = known.get(words.join(" ")) ?? (await helpFor(words));
    known.set(words.join(" "), help);
    for (const [flag] of command.matchAll(/(?<=\s)--[a-z][a-z-]+/g))
      if (!new RegExp(`${flag}\\b`).test(help)) unknown.push(`${path}: ${program} ${words.join(" ")} ${flag}`);
  }
  expect(known.size).toBeGreaterThan(2);
  return unknown;
}

/** `create secret generic` of `-n shop create secret generic token --from-file=…`. */
function verbOf(command: string): string[] {
  const words = command.replaceAll(/(?:^| )(?:-n|--kubeconfig) \S+/g, "").split(" ");
  const plain = words.filter((word) => /^[a-z][a-z-]*$/.test(word));
  const end = plain.findIndex((_, index) => !groups.has(plain.slice(0, index + 1).join(" ")));
  return plain.slice(0, end + 1);
}

/** What follows the program's name, up to what the shell takes for itself. */
function commandsOf(program: string): { path: string; command: string }[] {
  const calls = new RegExp(`(?:^|[$|(\`] ?)${program} ([^|\`#<>]*)`, "gm");
  return guides.flatMap(({ path, blocks, spans }) =>
    [...blocks.filter(({ language }) => language === "").map(({ text }) => text), ...spans].flatMap((text) => {
      const joined = text.replaceAll(/\\\n\s*/g, "");
      return joined
        .split("\n")
        .flatMap((line) => [...line.matchAll(calls)].map(([, command = ""]) => ({ path, command })));
    }),
  );
}
