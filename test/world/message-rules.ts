/**
 * Rules for every condition, event and plan that a test causes. The world checks each text when the operator writes it, and
 * the setup file of the unit tests fails the test that caused a fault.
 */
const rules: { fault: string; pattern: RegExp }[] = [
  { fault: "a path of the API", pattern: /(?:^|[\s(])\/[a-z][\w-]*(?:\/|\b)/ },
  { fault: "a method of HTTP with a path", pattern: /\b(?:GET|PUT|POST|DELETE|PATCH) (?:\/|https?:)/ },
  { fault: "a field name of the API", pattern: /\b[a-z]+_[a-z_]+: / },
  { fault: "a value without a meaning", pattern: /(?<!received )\b(?:undefined|null|NaN)\b|\[object Object\]/ },
  { fault: "a sentence that starts with an ID", pattern: /^\d+ / },
  { fault: "a sentence that starts with a small letter", pattern: /^(?!kubectl )[a-z]+[ ,]/ },
  { fault: "two articles or periods", pattern: /\b(?:a|an|the) (?:a|an|the)\b|\.\. |\.;/ },
];

/** Texts with a fault, until `takeFaults`. */
let faults: string[] = [];

/** Returns the faults of a text. Ignores quoted values, names in brackets and commands. */
export function faultsIn(text: string): string[] {
  const own = text
    .replaceAll(/"(?:\\.|[^"\\])*"/g, "Q")
    .replaceAll(/\((?:[^()]|\([^()]*\))*\)/g, "")
    .replaceAll(/\{.*\}/g, "V");
  return rules.flatMap(({ fault, pattern }) => (pattern.test(own) ? `${fault}: ${text}` : []));
}

export function judgeMessage(text: string | undefined): void {
  if (text !== undefined && text !== "") faults.push(...faultsIn(text));
}

/** Returns the faults since the last call, each text once. */
export function takeFaults(): string[] {
  const taken = [...new Set(faults)];
  faults = [];
  return taken;
}
