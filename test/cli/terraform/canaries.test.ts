/** A state of Terraform has passwords and keys in plain text. No output of the import contains one. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/api/types.ts";
import { startSimulator } from "../../../src/simulator/simulator.ts";
import type { Simulator } from "../../../src/simulator/simulator.ts";
import { accountFlags, folderOfTest, runCli } from "../run.ts";
import { brandWord, recordedShow, recordedState, replay } from "./recording.ts";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ brandWord, timeScale: 600 });
  await replay(simulator);
}, 60_000);
afterAll(() => simulator.close());

const word = "Canary7q";
const canary = (number: number): string => `${word}-${number}`;

/** Places in a resource, by type. The provider stores secrets in each of them, or a different provider does. */
const attributes: [type: string, attribute: string][] = [
  ["linode_instance", "root_pass"],
  ["linode_instance", "stackscript_data"],
  ["linode_instance", "metadata"],
  ["linode_instance_disk", "root_pass"],
  ["linode_object_storage_key", "secret_key"],
  ["linode_object_storage_bucket", "secret_key"],
  ["linode_database_mysql_v2", "root_password"],
  ["linode_database_mysql_v2", "ca_cert"],
  ["terraform_data", "id"],
  ["terraform_data", "output"],
];

type Instance = JsonObject & { attributes?: JsonObject; values?: JsonObject };
interface Resources {
  type: string;
  instances?: Instance[];
  values?: JsonObject;
}

/** Puts twelve canaries into a state of either format. */
function withCanaries(file: string): string {
  const state = JSON.parse(readFileSync(file, "utf8")) as JsonObject;
  attributes.forEach(([type, attribute], index) => {
    for (const holder of holdersOf(state, type))
      holder[attribute] = [{ value: canary(index) }, canary(index)][index % 2] ?? "";
  });
  Object.assign(state, { outputs: { password: { value: canary(10), type: "string", sensitive: true } } });
  Object.assign(state, { check_results: [{ object_kind: "resource", failure_messages: [canary(11)] }] });
  return JSON.stringify(state);
}

function holdersOf(value: Json | undefined, type: string): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap((one) => holdersOf(one, type));
  if (typeof value !== "object" || value === null) return [];
  const { instances, values } = value as unknown as Resources;
  if (value["type"] !== type) return Object.values(value).flatMap((one) => holdersOf(one, type));
  return instances ? instances.flatMap(({ attributes: own }) => (own ? [own] : [])) : [values ?? {}];
}

/** Writes a state, and returns the name of the file. */
function stored(text: string): string {
  const file = join(folderOfTest(), "state.json");
  writeFileSync(file, text);
  return file;
}

function textsIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${name}\n${readFileSync(join(parentPath, name), "utf8")}`)
    .join("");
}

const flags = () => [...accountFlags(simulator), "--brand-word", brandWord];

describe.each([
  ["a state of version 4", recordedState],
  ["the output of terraform show -json", recordedShow],
])("twelve canaries in %s", (_, file) => {
  it.each([[[]], [["--full"]], [["--manage", "-o", "json"]], [["--target", "module.web"]]])(
    "are in no output of the import with %j",
    async (more) => {
      const state = withCanaries(file);
      expect(new Set(state.match(/Canary7q-\d+/g)).size).toBe(12);
      const folder = join(folderOfTest(), "manifests");
      const shown = await runCli(["import", "terraform", stored(state), ...flags(), ...more]);
      const written = await runCli(["import", "terraform", stored(state), ...flags(), ...more, "--folder", folder]);
      expect([shown.code, written.code]).toEqual([0, 0]);
      expect(shown.out.length).toBeGreaterThan(1_000);
      expect(textsIn(folder).length).toBeGreaterThan(1_000);
      expect([shown.out, shown.err, written.out, written.err, textsIn(folder)].join("")).not.toContain(word);
    },
  );

  it.each<[string, (state: string) => string]>([
    ["is cut off", (state) => state.slice(0, state.lastIndexOf(canary(11)) + 12)],
    ["begins with a canary", (state) => canary(1) + state],
    ["has an unknown version", (state) => state.replace(/"(format_)?version":/, '"other":')],
    [
      "has canaries as IDs",
      (state) => state.replaceAll(/"(id|address|firewall_id|database_id)":"?\w[^,"}]*"?/g, `"$1":"${canary(2)}"`),
    ],
    ["has canaries as types", (state) => state.replaceAll(/"type":"linode_\w+"/g, `"type":"${canary(3)} x"`)],
    [
      "has a canary as text of the attributes",
      (state) => state.replaceAll(/"(attributes|values)":\{/g, `"x":"${canary(4)}","$1":{`),
    ],
  ])("are in no error if the state %s", async (_what, damage) => {
    const { out, err } = await runCli(["import", "terraform", stored(damage(withCanaries(file))), ...flags()]);
    expect(err).not.toBe("");
    expect(out + err).not.toContain(word);
  });
});
