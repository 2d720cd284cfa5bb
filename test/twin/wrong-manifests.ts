/** Manifests with one wrong value each, made from the examples of all kinds. */
import type { Described } from "../../src/core/kind/described.ts";
import { exampleObject } from "../../src/generate/example-manifests.ts";
import type { ExampleManifest } from "../../src/generate/example-manifests.ts";

type Values = Record<string, unknown>;

export interface Wrong {
  /** The field and its value, for the title of a test. */
  what: string;
  spec: Values;
}

const strange = ["", "Ä b!", "x".repeat(5_000), 12, -1, 1_000_000_000, true, null, ["a", "a"], {}];

/** Returns specs that differ from a valid spec in one value, or lack one value. */
export function wrongSpecs(spec: Values): Wrong[] {
  return placesOf(spec).flatMap((path) => {
    const value = path.reduce<unknown>((at, name) => (at as Values)[name], spec);
    const others: unknown[] = Array.isArray(value)
      ? [...strange, [...value, ...value], Array(600).fill(value[0])]
      : strange;
    const changed = others.map((other) => ({
      what: `${path.join(".")} = ${(JSON.stringify(other) ?? "").slice(0, 40)}`,
      spec: withValue(spec, path, other),
    }));
    return changed.concat({ what: `without ${path.join(".")}`, spec: withValue(spec, path, undefined) });
  });
}

/** Returns the object of the first example of a kind. */
export function objectOf(kind: Described): ExampleManifest & { spec: Values } {
  const [example = { name: "x", doc: "", spec: {} }] = kind.examples;
  return exampleObject(kind, { ...example, name: example.name });
}

function placesOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return path.length > 0 ? [path] : [];
  const entries = Object.entries(value).slice(0, Array.isArray(value) ? 1 : 40);
  return [...(path.length > 0 ? [path] : []), ...entries.flatMap(([name, one]) => placesOf(one, [...path, name]))];
}

function withValue(from: unknown, [name = "", ...rest]: string[], value: unknown): Values {
  const copy = (Array.isArray(from) ? [...from] : { ...(from as Values) }) as Values;
  if (rest.length > 0) copy[name] = withValue(copy[name], rest, value);
  else if (value !== undefined) copy[name] = value;
  else if (Array.isArray(copy)) copy.splice(Number(name), 1);
  else delete copy[name];
  return copy;
}
