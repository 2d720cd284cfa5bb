import { yaml, yamlHeader } from "../yaml.ts";
import { valuesSchema } from "./values-schema.ts";
import type { ValueSchema } from "./values-schema.ts";

const width = 118;

/** Returns values.yaml: every value with its default, after a comment with the description. A value without default is a comment. */
export function valuesFile(): string {
  return `${yamlHeader}\n${block(valuesSchema(), 0)}`;
}

function block(schema: ValueSchema, depth: number): string {
  return Object.entries(schema.properties ?? {})
    .map(([name, value]) => entry(name, value, depth))
    .join(depth === 0 ? "\n" : "");
}

function entry(name: string, schema: ValueSchema, depth: number): string {
  const comment = wrapped(schema.description ?? "", width - 2 * depth).map((line) => `# ${line}`);
  return [...comment, ...assignment(name, schema)].map((line) => `${"  ".repeat(depth)}${line}\n`).join("");
}

function assignment(name: string, schema: ValueSchema): string[] {
  if (schema.section === true) {
    const inner = block(schema, 1).trimEnd().split("\n");
    const empty = inner.every((line) => line.trim().startsWith("#"));
    return [empty ? `${name}: {}` : `${name}:`, ...inner];
  }
  if (schema.default === undefined) return [`# ${name}:`];
  return yaml({ [name]: schema.default })
    .trimEnd()
    .split("\n");
}

function wrapped(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || `${last} ${word}`.length > columns - 2) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
