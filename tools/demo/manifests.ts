import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { root } from "../run/places.ts";

/** The part of a CRD that the demo needs. */
export interface Definition {
  metadata: { name: string };
  spec: { scope: "Namespaced" | "Cluster"; names: { kind: string } };
}

/** The text the samples have where a person puts the token. */
const placeholder = "replace-with-your-token";

/** The generated CRDs: their text to apply, and what they define. */
export function readDefinitions(folder = join(root, "crds")): { text: string; definitions: Definition[] } {
  const text = joined(yamlFiles(folder));
  const definitions = parseAllDocuments(text).map((document) => document.toJS() as Definition | null);
  return { text, definitions: definitions.filter((each) => each !== null) };
}

/** The generated samples with this token in them. */
export function readSamples(token: string, folder = join(root, "deploy", "samples")): string {
  const text = joined(yamlFiles(folder));
  if (!text.includes(placeholder)) throw new Error(`no sample Secret has the text ${placeholder}`);
  return text.replaceAll(placeholder, token);
}

/**
 * The generated admission rules, without those on intents: they let the operator's service account alone change them, and
 * here the operator uses the kubeconfig of the person.
 */
export function readAdmission(folder = join(root, "deploy", "admission")): string {
  return joined(["protect.yaml", "risks.yaml"].map((name) => readFileSync(join(folder, name), "utf8")));
}

function yamlFiles(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".yaml") && name !== "kustomization.yaml");
  if (names.length === 0) throw new Error(`${folder} is empty; make generate fills it`);
  return names.toSorted().map((name) => readFileSync(join(folder, name), "utf8"));
}

const joined = (documents: string[]): string => documents.join("\n---\n");
