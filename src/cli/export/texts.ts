/** Manifests as text: a stream, or files. */
import { stringify } from "yaml";
import type { Format } from "../output/table.ts";
import type { Manifest, NeededSecret } from "./manifests.ts";

export interface Texts {
  /** Adds a manifest. Keeps only the text, because ten thousand manifests need much memory. */
  take: (manifest: Manifest, area: string) => void;
  /** Returns the stream for stdout. */
  stream: () => string;
  /** Returns the files by path: one for each manifest, and the list of files. Needs the format `yaml`. */
  files: (secrets: readonly NeededSecret[]) => Map<string, string>;
}

export function createTexts(format: Format): Texts {
  const texts: { path: string; text: string }[] = [];
  const textOf = format === "name" ? nameLine : format === "json" ? jsonOf : yamlOf;
  return {
    take: (manifest, area) => void texts.push({ path: pathOf(manifest, area), text: textOf(manifest) }),
    stream() {
      const all = texts.map(({ text }) => text);
      if (format === "name") return all.join("");
      if (format === "json") return `{"apiVersion": "v1", "kind": "List", "items": [${all.join(",\n")}]}\n`;
      return all.map((text) => `---\n${text}`).join("");
    },
    files(secrets) {
      const kustomization = {
        apiVersion: "kustomize.config.k8s.io/v1beta1",
        kind: "Kustomization",
        resources: texts.map(({ path }) => path).toSorted(),
      };
      const lines = secrets.map((secret) => `${secretLine(secret)}\n`);
      const needed: [string, string][] = secrets.length === 0 ? [] : [["SECRETS.txt", lines.join("")]];
      const files = texts.map(({ path, text }): [string, string] => [path, text]);
      return new Map([...files, ["kustomization.yaml", yamlOf(kustomization)], ...needed]);
    },
  };
}

function yamlOf(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

function jsonOf(manifest: Manifest): string {
  return JSON.stringify(manifest, null, 2);
}

function nameLine({ kind, metadata }: Manifest): string {
  return `${kind.toLowerCase()}/${metadata.name}\n`;
}

function pathOf({ kind, metadata }: Manifest, area: string): string {
  return `${area}/${kind.toLowerCase()}-${metadata.name}.yaml`;
}

/** Returns one line about a Secret. */
export function secretLine({ name, keys, by }: NeededSecret): string {
  return `${name}: ${keys.join(", ")} (for ${by})`;
}
