/** The output of export and import: one text or files, and the remarks for the user. */
import { yaml } from "../../generate/yaml.ts";
import type { Format } from "../output/table.ts";
import type { Terminal } from "../terminal.ts";
import type { Exported, NeededSecret } from "./manifests.ts";

/** Returns the name of a CloudAccount for manifests; undefined for `default`. */
export function accountNameOf(account: string | undefined): string | undefined {
  const name = account?.split("/").at(-1);
  return name === "default" ? undefined : name;
}

/** Returns all manifests as one text. */
export function streamOf({ manifests }: Exported, output: Format): string {
  const all = manifests.map(({ manifest }) => manifest);
  if (output === "name") return all.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}\n`).join("");
  if (output === "json") return `${JSON.stringify({ apiVersion: "v1", kind: "List", items: all }, null, 2)}\n`;
  return all.map((manifest) => `---\n${yaml(manifest)}`).join("");
}

/** Returns the files by path: one for each manifest, and the list of files. */
export function filesOf({ manifests, secrets }: Exported): Map<string, string> {
  const files = manifests.map(({ manifest, area }): [string, string] => {
    const { kind, metadata } = manifest;
    return [`${area}/${kind.toLowerCase()}-${metadata.name}.yaml`, yaml(manifest)];
  });
  const kustomization = {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: files.map(([path]) => path).toSorted(),
  };
  const needed: [string, string][] = secrets.length === 0 ? [] : [["SECRETS.txt", secrets.map(secretLine).join("")]];
  return new Map([...files, ["kustomization.yaml", yaml(kustomization)], ...needed]);
}

function secretLine({ name, keys, by }: NeededSecret): string {
  return `${name}: ${keys.join(", ")} (for ${by})\n`;
}

/** Names the Secrets that the user must create, and the values that the manifests do not have. */
export function sayRemarks(terminal: Terminal, { secrets, leftOut }: Pick<Exported, "secrets" | "leftOut">): void {
  if (secrets.length > 0) terminal.say("Create these Secrets before you apply the manifests:");
  for (const secret of secrets) terminal.say(`  ${secretLine(secret).trimEnd()}`);
  for (const one of leftOut) terminal.say(`${terminal.paint("yellow", "left out")}: ${one}`);
}
