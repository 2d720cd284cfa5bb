/** Name of a published Secret: `connectionSecret.name`, its short form, or a name derived from the object. */
import type { AdmissionRule } from "../core/kind/schema.ts";
import { nameLength } from "./name-length.ts";

interface Named {
  connectionSecret?: { name?: string | undefined } | undefined;
}

interface Naming {
  /** Suffix of the derived name, after the name of the object. */
  suffix: string;
  /** Field of the spec with the short form of `connectionSecret.name`. */
  short: string;
  /** CEL condition for a published Secret. Defaults to always. */
  when?: string;
  /** The short form is immutable. If both names are set, `connectionSecret.name` has priority. */
  isFixed?: boolean;
}

export function publishedName(name: string, spec: Named, short: string | undefined, { suffix }: Naming): string {
  return spec.connectionSecret?.name ?? short ?? `${name}${suffix}`;
}

/** Requires a name in the spec if the name of the object is too long. Refuses two names, unless the short form is immutable. */
export function publishedNameRules({ suffix, short, when, isFixed }: Naming): AdmissionRule[] {
  const path = short.split(".");
  const shortGiven = `(${path.map((_, at) => `has(self.spec.${path.slice(0, at + 1).join(".")})`).join(" && ")})`;
  const given = "(has(self.spec.connectionSecret) && has(self.spec.connectionSecret.name))";
  const isNone = when === undefined ? "" : `!${when} || `;
  const max = 253 - suffix.length;
  const named = nameLength({
    unless: `${isNone}${shortGiven} || ${given}`,
    max,
    limit: `the name of the published Secret has room for ${max}`,
    set: "spec.connectionSecret.name",
  });
  const once = {
    cel: `!${shortGiven} || !${given}`,
    message: `spec.${short} is the short form of spec.connectionSecret.name. Give one of them`,
  };
  return isFixed ? [named] : [named, once];
}
