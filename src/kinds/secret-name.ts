/** The name of the Secret that a kind publishes: `connectionSecret.name`, its short form, or one after the object. */
import type { AdmissionRule } from "../core/kind/schema.ts";

interface Named {
  connectionSecret?: { name?: string | undefined } | undefined;
}

interface Naming {
  /** What follows the object's name where no other is given. */
  suffix: string;
  /** The field of the spec that is the short form of `connectionSecret.name`. */
  short: string;
  /** CEL: when a Secret is published; always if not given. */
  when?: string;
  /** The short form cannot be changed: `connectionSecret.name` counts where both are given. */
  isFixed?: boolean;
}

export function publishedName(name: string, spec: Named, short: string | undefined, { suffix }: Naming): string {
  return spec.connectionSecret?.name ?? short ?? `${name}${suffix}`;
}

/** Where the object's own name is too long to be part of it, another is given; and not two, unless the short form cannot be changed. */
export function publishedNameRules({ suffix, short, when, isFixed }: Naming): AdmissionRule[] {
  const path = short.split(".");
  const shortGiven = `(${path.map((_, at) => `has(self.spec.${path.slice(0, at + 1).join(".")})`).join(" && ")})`;
  const given = "(has(self.spec.connectionSecret) && has(self.spec.connectionSecret.name))";
  const isNone = when === undefined ? "" : `!${when} || `;
  const named = {
    cel: `${isNone}${shortGiven} || ${given} || size(self.metadata.name) <= ${253 - suffix.length}`,
    message: "metadata.name is too long to be part of the name of a Secret. Set spec.connectionSecret.name",
  };
  const once = {
    cel: `!${shortGiven} || !${given}`,
    message: `spec.${short} is the short form of spec.connectionSecret.name. Give one of them`,
  };
  return isFixed ? [named] : [named, once];
}
