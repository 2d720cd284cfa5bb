/** Converts values to the form of the published Secret (`spec.connectionSecret`), and back. */
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

/** The Secret to write. `refusal`: an error of the spec, which the caller throws after the write. */
export interface Formed {
  data: Values;
  type?: string;
  /** null removes a label of a former spec. */
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

/** Names the labels that the spec has set, so that the operator can remove a label that the spec no longer has. */
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
    refusal: excess ?? formRefusal({ type, there, lacking: lacking[0] }),
  };
}

/**
 * Returns the form of a future Secret with dummy values, for a dry run. `names`: keys that the operator always
 * publishes.
 */
export function rehearsed(spec: Record<string, unknown>, names: string[], there: Secret | undefined): Formed {
  const { keys = {}, template = {} } = (spec["connectionSecret"] ?? {}) as Form;
  const all = [...names, ...Object.keys(keys), ...Object.values(template).flatMap(placeholdersIn)];
  return formed(spec, Object.fromEntries(all.map((name) => [name, unknownText])), there);
}

/** Typical length of a published value. */
const unknownText = "-".repeat(256);

/** Tests if the Secret has the form. Ignores the type, because Kubernetes cannot change it. */
export function isFormed(
  { data, encoded, metadata }: Secret,
  form: Pick<Formed, "data" | "labels" | "annotations">,
): boolean {
  const isTextAlone = Object.keys(data).length === Object.keys(encoded).length;
  const isMarked = (wanted: Record<string, string | null>, there: Values = {}): boolean =>
    Object.entries(wanted).every(([name, value]) => (there[name] ?? null) === value);
  const isSo = isMarked(form.labels, metadata.labels) && isMarked(form.annotations, metadata.annotations);
  // The data of a read Secret has no prototype, and `isDeepStrictEqual` compares prototypes.
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

function formRefusal({
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

/** Fills the placeholders in one pass, because a value can contain the text of a placeholder. */
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

/** Most values to try for a name. */
const mostTried = 64;

/** Longest values to try, in characters: a pre-signed URL alone, or keys in pairs. */
const [longestAlone, longestPaired] = [16_384, 1_024];

/**
 * Returns the published values of the names if the values pass the test. A former spec can have chosen other keys, so
 * the function tries combinations. The function tries only few and short values, because a test hashes the values, and
 * texts of a template can be large.
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
