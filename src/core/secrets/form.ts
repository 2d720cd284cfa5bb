/** The form in which a Secret is published: what `spec.connectionSecret` makes of the published values, and back. */
import { isDeepStrictEqual } from "node:util";
import type { Secret } from "../../cluster/types.ts";
import { Invalid } from "../kind/outcome.ts";

export type Values = Record<string, string>;

type Entries = (readonly [name: string, text: string])[];

interface Form {
  keys?: Values;
  template?: Values;
  type?: string;
  labels?: Values;
}

/** What is to be written; `refusal` says what of the spec cannot be carried out, after the rest was. */
export interface Formed {
  data: Values;
  type?: string;
  /** null: what a former spec said, and this one does not. */
  labels: Record<string, string | null>;
  annotations: Record<string, string | null>;
  refusal: Invalid | undefined;
}

const field = "spec.connectionSecret";

/**
 * The limit in bytes for the values of a published Secret. Kubernetes permits 1 MiB. A placeholder multiplies a value, so
 * the operator measures the templates before it renders them: 140 KB of templates can make a Secret of 150 MB.
 */
export const mostPublishedBytes = 512 * 1024;

/** Names the labels that the spec has set, so that they go when it sets them no more. */
const labelsAnnotation = "cloudplatform.dev/published-labels";

export function formed(spec: Record<string, unknown>, values: Values, there: Secret | undefined): Formed {
  const { keys = {}, template = {}, type, labels = {} } = (spec["connectionSecret"] ?? {}) as Form;
  const named = Object.entries(values).map(([key, value]) => [keys[key] ?? key, value] as const);
  const lacking = Object.entries(template).flatMap(([key, text]) => {
    const placeholder = placeholdersIn(text).find((name) => !Object.hasOwn(values, name));
    return placeholder === undefined ? [] : [{ key, placeholder }];
  });
  const complete = Object.entries(template).filter(([key]) => !lacking.some((one) => one.key === key));
  const excess = excessOf(named, complete, values);
  const filled = excess ? [] : complete.map(([key, text]) => [key, fill(text, values)] as const);
  const former = labelsNamed(there).filter((name) => !Object.hasOwn(labels, name));
  const set = Object.keys(labels).toSorted();
  const noted = set.length > 0 ? JSON.stringify(set) : null;
  return {
    data: Object.fromEntries([...named, ...filled]),
    ...(type !== undefined && { type }),
    labels: { ...Object.fromEntries(former.map((name) => [name, null])), ...labels },
    annotations: { [labelsAnnotation]: noted },
    refusal: excess ?? refusalOf({ type, there, lacking: lacking[0] }),
  };
}

/**
 * A form like the one that will be written, with texts that say nothing, for what is not known yet. `names`: of values that
 * are published in any case.
 */
export function rehearsed(spec: Record<string, unknown>, names: string[], there: Secret | undefined): Formed {
  const { keys = {}, template = {} } = (spec["connectionSecret"] ?? {}) as Form;
  const all = [...names, ...Object.keys(keys), ...Object.values(template).flatMap(placeholdersIn)];
  return formed(spec, Object.fromEntries(all.map((name) => [name, unknownText])), there);
}

/** About as long as what is published. */
const unknownText = "-".repeat(256);

/** True where the Secret is as it is to be; its type cannot be changed anyway. */
export function isFormed(
  { data, encoded, metadata }: Secret,
  form: Pick<Formed, "data" | "labels" | "annotations">,
): boolean {
  const isTextAlone = Object.keys(data).length === Object.keys(encoded).length;
  const isMarked = (wanted: Record<string, string | null>, there: Values = {}): boolean =>
    Object.entries(wanted).every(([name, value]) => (there[name] ?? null) === value);
  const isSo = isMarked(form.labels, metadata.labels) && isMarked(form.annotations, metadata.annotations);
  // What was read has no prototype, which would count as a difference.
  return isTextAlone && isSo && isDeepStrictEqual({ ...data }, form.data);
}

/** Returns the refusal of templates whose texts would make the Secret too large. Renders no text. */
function excessOf(named: Entries, template: Entries, values: Values): Invalid | undefined {
  const sizes = new Map(Object.entries(values).map(([name, value]) => [name, Buffer.byteLength(value)]));
  const sized = template.map(([key, text]) => ({ key, bytes: filledBytes(text, sizes) }));
  const own = named.reduce((sum, [, value]) => sum + Buffer.byteLength(value), 0);
  const bytes = sized.reduce((sum, one) => sum + one.bytes, own);
  const [largest] = sized.toSorted((a, b) => b.bytes - a.bytes);
  if (bytes <= mostPublishedBytes || !largest) return undefined;
  const amount = (count: number): string => `${count.toLocaleString("en")} bytes`;
  const size = `the Secret would have ${amount(bytes)}, and the limit is ${amount(mostPublishedBytes)}`;
  const cure =
    "The operator publishes the Secret without the keys of the template. Use fewer placeholders or shorter texts";
  return new Invalid(`${field}.template`, `${size}. Key ${largest.key} has ${amount(largest.bytes)}. ${cure}`);
}

/** Returns the size of a text after `fill`, in bytes. */
function filledBytes(text: string, sizes: Map<string, number>): number {
  const matches = [...text.matchAll(placeholder)];
  return matches.reduce(
    (sum, [match, name = ""]) => sum - match.length + (sizes.get(name) ?? 0),
    Buffer.byteLength(text),
  );
}

function refusalOf({
  type = "Opaque",
  there,
  lacking,
}: {
  type?: string | undefined;
  there: Secret | undefined;
  lacking: { key: string; placeholder: string } | undefined;
}): Invalid | undefined {
  if (lacking) {
    const { key, placeholder } = lacking;
    const why = `the cloud object has no ${placeholder}. The Secret is published without this key. Remove {{ .${placeholder} }}`;
    return new Invalid(`${field}.template.${key}`, why);
  }
  if (there?.type === undefined || there.type === type) return undefined;
  const { name } = there.metadata;
  const why = `Secret ${name} has the type ${there.type}, and Kubernetes cannot change it to ${type}. It keeps its type. Set ${field}.name to another name: the Secret is written there, and ${name} is deleted`;
  return new Invalid(`${field}.type`, why);
}

const placeholder = /\{\{ *\.([A-Za-z0-9_]+) *\}\}/g;

function placeholdersIn(text: string): string[] {
  return [...text.matchAll(placeholder)].map(([, name = ""]) => name);
}

/** In one pass: what a value holds is no placeholder. */
function fill(text: string, values: Values): string {
  return text.replaceAll(placeholder, (_, name: string) => values[name] ?? "");
}

function labelsNamed(secret: Secret | undefined): string[] {
  const text = secret?.metadata.annotations?.[labelsAnnotation];
  try {
    const names: unknown = JSON.parse(text ?? "[]");
    const isOurs = (name: unknown) => typeof name === "string" && !name.includes("cloudplatform.dev/");
    return Array.isArray(names) ? (names.filter(isOurs) as string[]) : [];
  } catch {
    return [];
  }
}

/** So many values are tried for each name. */
const mostTried = 64;

/** The limits in characters for a value that is tried: a pre-signed URL alone, or keys, which are tried in pairs. */
const [longestAlone, longestPaired] = [16_384, 1_024];

/**
 * Returns the published values of these names, whatever keys a former spec gave them: the values that pass the test. Tries few
 * names and short values, each with each, because a test hashes the values. Texts of a template can be large.
 */
export function valuesIn({ data }: Pick<Secret, "data">, names: string[], isThese: (values: Values) => boolean) {
  const asNamed = Object.fromEntries(names.map((name) => [name, data[name] ?? ""]));
  if (isThese(asNamed)) return asNamed;
  const longest = names.length > 1 ? longestPaired : longestAlone;
  const short = Object.values(data).filter(({ length }) => length <= longest);
  const texts = [...new Set(short)].slice(0, mostTried);
  const tryWith = (chosen: Values): Values | undefined => {
    const name = names[Object.keys(chosen).length];
    if (name === undefined) return isThese(chosen) ? chosen : undefined;
    for (const text of texts) {
      const found = tryWith({ ...chosen, [name]: text });
      if (found) return found;
    }
    return undefined;
  };
  return tryWith({});
}
