/** Converts strings: formats that the API server knows, their longest form, and patterns for RE2. */
import type { Source } from "./json-schema.ts";
import type { OpenApi } from "./open-api.ts";

/** Formats that kube-apiserver checks, with the length of the longest value, if limited. */
const formats: Record<string, number | undefined> = {
  byte: undefined,
  cidr: 49,
  date: 10,
  "date-time": 40,
  duration: 64,
  email: 320,
  hostname: 253,
  ipv4: 15,
  ipv6: 45,
  mac: 17,
  uri: undefined,
  uuid: 36,
};

interface Converted {
  schema: OpenApi;
  problems: string[];
}

/**
 * Returns the structural schema of a string. Omits a format that the server does not know if the string has a pattern.
 */
export function stringSchema(source: Source): Converted {
  const patterns = [source.pattern, ...(source.allOf ?? []).map(({ pattern }) => pattern)].filter(
    (pattern) => pattern !== undefined,
  );
  const known = source.format !== undefined && source.format in formats;
  const maxLength = source.maxLength ?? (source.format === undefined ? undefined : formats[source.format]);
  const problems = patterns.map(patternProblem).filter((problem) => problem !== undefined);
  if (source.format !== undefined && !known && patterns.length === 0)
    problems.push(`the API server does not know the format ${source.format}: use a pattern`);
  if (maxLength === undefined && source.enum === undefined) problems.push("a string needs an upper bound: add .max(n)");
  return {
    schema: {
      type: "string",
      ...(known && source.format !== undefined && { format: source.format }),
      ...(source.minLength !== undefined && { minLength: source.minLength }),
      ...(maxLength !== undefined && { maxLength }),
      ...(patterns.length === 1 && { pattern: patterns[0] as string }),
      ...(patterns.length > 1 && { allOf: patterns.map((pattern) => ({ pattern })) }),
    },
    problems,
  };
}

/** Constructs of JavaScript's regular expressions that RE2 lacks. */
const foreign: [construct: RegExp, name: string][] = [
  [/\(\?<?[=!]/, "a look-around"],
  [/\\[1-9]|\\k</, "a back reference"],
  [/\\u/, "a \\u escape (RE2 writes \\x{…})"],
  [/\\c[A-Za-z]/, "a control escape"],
  [/\[\^?\]/, "an empty class"],
];

function patternProblem(pattern: string): string | undefined {
  const found = foreign.find(([construct]) => construct.test(pattern));
  if (found)
    return `the pattern ${pattern} has ${found[1]}, which the API server's RE2 refuses: write it without, or as a rule()`;
  const repeat = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].flatMap(([, least, most]) => [
    Number(least),
    Number(most ?? 0),
  ]);
  if (repeat.some((count) => count > 1000))
    return `the pattern ${pattern} repeats more than 1000 times, which RE2 refuses: use .max(n)`;
  return undefined;
}
