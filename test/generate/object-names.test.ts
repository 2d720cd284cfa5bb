import { readFileSync, readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { parse } from "yaml";

interface Schema {
  type?: string;
  description?: string;
  pattern?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
}

/** Fields of a spec that name a Kubernetes object, by the words of the generated definition. */
function objectNames({ properties = {}, items }: Schema, path: string): [path: string, pattern: string | undefined][] {
  const own = Object.entries(properties).flatMap(([name, { type, description = "", pattern }]) =>
    type === "string" && /^Name of .*(Secret|ConfigMap|CloudAccount|in this namespace)|^Its namespace/.test(description)
      ? [[`${path}.${name}`, pattern] as [string, string | undefined]]
      : [],
  );
  const below = Object.entries(properties).flatMap(([name, inner]) => objectNames(inner, `${path}.${name}`));
  return [...own, ...below, ...(items ? objectNames(items, `${path}[]`) : [])];
}

const found = readdirSync("crds")
  .filter((file) => file.endsWith(".yaml"))
  .flatMap((file) => {
    const crd = parse(readFileSync(`crds/${file}`, "utf8")) as {
      spec: { versions: { schema: { openAPIV3Schema: Schema } }[] };
    };
    const { spec } = crd.spec.versions[0]?.schema.openAPIV3Schema.properties ?? {};
    return spec ? objectNames(spec, file.replace(".yaml", "")) : [];
  });

it("each field that names a Kubernetes object has a pattern that no name with a slash or two dots in a row matches", () => {
  expect(found.length).toBeGreaterThan(80);
  const loose = found.filter(
    ([, pattern]) =>
      pattern === undefined || ["..", ".", "a/b", "A", "a..b", ""].some((name) => new RegExp(pattern).test(name)),
  );
  expect(loose).toEqual([]);
});
