import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
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

const admission = join(root, "deploy", "admission");

/** Returns the admission policies of a default installation: the resources of the kustomization. */
export function readAdmission(folder = admission): string {
  const text = readFileSync(join(folder, "kustomization.yaml"), "utf8");
  const { resources } = parse(text) as { resources: string[] };
  return joined(resources.map((name) => readFileSync(join(folder, name), "utf8")));
}

/** The user who may change what the operator notes on objects, as the admission rules name it. */
export function operatorUser(folder = admission): string {
  const user = /request\.userInfo\.username != '([^']+)'/.exec(readAdmission(folder))?.[1];
  if (user === undefined) throw new Error(`no admission rule in ${folder} names the operator's user`);
  return user;
}

function yamlFiles(folder: string): string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith(".yaml") && name !== "kustomization.yaml");
  if (names.length === 0) throw new Error(`${folder} is empty; make generate fills it`);
  return names.toSorted().map((name) => readFileSync(join(folder, name), "utf8"));
}

const joined = (documents: string[]): string => documents.join("\n---\n");
