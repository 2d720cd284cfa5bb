/**
 * Replaces the program `terraform` for the commands of the guide, because no package registry has the program and its provider. Knows
 * `state pull`, `state rm`, `plan` and `apply` for a state in the folder, and configurations with literal keys. Counts the resources of
 * the state that the configuration neither declares nor removes: Terraform would destroy them.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isWithin, keyText } from "../../../src/cli/terraform/address.ts";
import type { Key } from "../../../src/cli/terraform/address.ts";
import { readState } from "../../../src/cli/terraform/state.ts";

const stateFile = "terraform.tfstate";

interface State {
  resources: { module?: string; mode: string; type: string; name: string; instances: { index_key?: Key }[] }[];
}

/** The declared blocks, by address. Undefined: the keys are not literal. */
type Declared = Map<string, Key[] | undefined>;

const [command, ...args] = process.argv.slice(2);
if (command === "state" && args[0] === "pull") process.stdout.write(readFileSync(stateFile));
else if (command === "state" && args[0] === "rm") forget(args.slice(1));
else if (command === "plan" || command === "apply") plan(command === "apply");
else throw new Error(`the replacement of terraform does not know ${command} ${args[0]}`);

function plan(apply: boolean): void {
  const root = textOf(".");
  const declared = declaredIn(root, "");
  const removed = [...root.matchAll(/^removed \{\s+from\s+= (\S+)\s+lifecycle \{\s+destroy = false\s+\}\s+\}/gm)].map(
    ([, from = ""]) => from,
  );
  const still = removed.find((from) => [...declared.keys()].some((address) => isWithin(address, from)));
  if (still !== undefined) throw new Error(`Removed resource still exists: ${still}`);
  const all = readState(readFileSync(stateFile), stateFile, () => []);
  const forgotten = all.filter(({ block }) => removed.some((from) => isWithin(block, from)));
  const isDeclared = ({ block, key }: (typeof all)[number]): boolean => {
    const keys = declared.get(block);
    return declared.has(block) && (keys === undefined || (key !== undefined && keys.includes(key)));
  };
  const destroyed = all.filter((one) => !forgotten.includes(one) && !isDeclared(one));
  const added = [...declared].flatMap(([address, keys = []]) =>
    keys.filter((key) => !all.some(({ block, key: own }) => block === address && own === key)),
  );
  const isSame = forgotten.length + destroyed.length + added.length === 0;
  const counts = `Plan: ${added.length} to add, 0 to change, ${destroyed.length} to destroy.`;
  process.stdout.write(`${isSame ? "No changes. Your infrastructure matches the configuration." : counts}\n`);
  if (!apply || isSame) return;
  if (destroyed.length + added.length > 0) throw new Error("the replacement of terraform only forgets resources");
  forget(forgotten.map(({ address }) => address));
}

function forget(addresses: string[]): void {
  const state = JSON.parse(readFileSync(stateFile, "utf8")) as State;
  const left = new Set(addresses);
  for (const one of state.resources) {
    const address = [one.module, one.type, one.name].filter(Boolean).join(".");
    one.instances = one.instances.filter(({ index_key: key }) => !left.delete(`${address}${keyText(key)}`));
  }
  if (left.size > 0) throw new Error(`No matching objects found: ${[...left].join(", ")}`);
  state.resources = state.resources.filter(({ instances }) => instances.length > 0);
  writeFileSync(stateFile, JSON.stringify(state));
}

function textOf(folder: string): string {
  const files = readdirSync(folder).filter((name) => name.endsWith(".tf"));
  return files.map((name) => readFileSync(join(folder, name), "utf8")).join("\n");
}

function declaredIn(text: string, prefix: string): Declared {
  const resources = [...text.matchAll(/^resource "(\S+)" "(\S+)" \{\n([\s\S]*?)^\}/gm)].map(
    ([, type = "", name = "", body = ""]) => [`${prefix}${type}.${name}`, keysIn(body)] as const,
  );
  const modules = [...text.matchAll(/^module "(\S+)" \{\n[\s\S]*?source\s+= "(\S+)"[\s\S]*?^\}/gm)].flatMap(
    ([, name = "", source = ""]) => Array.from(declaredIn(textOf(source), `${prefix}module.${name}.`)),
  );
  return new Map([...resources, ...modules]);
}

/** Returns the keys of a literal map. */
function keysIn(body: string): Key[] | undefined {
  const [, map] = /^ {2}for_each = \{\n([\s\S]*?)^ {2}\}/m.exec(body) ?? [];
  return map === undefined ? undefined : [...map.matchAll(/^ +"(.+)"\s+=/gm)].map(([, key = ""]) => key);
}
