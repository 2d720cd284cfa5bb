import type { AdmissionRule } from "../core/kind/schema.ts";

interface Limits {
  /** CEL condition under which no other name follows from the name of the object. */
  unless: string;
  min?: number;
  max: number;
  /** The limit as the end of a sentence about a number of characters, such as `a label has 3 to 64`. */
  limit: string;
  /** Field that replaces the name of the object, such as `spec.label`. */
  set: string;
}

const digit = (number: string): string => `'0123456789'.substring(${number}, ${number} + 1)`;
const size = "size(self.metadata.name)";

/** The number of characters as text. Without string(): the API server cannot estimate the size and cost of its result. */
const length = `(${size} > 99 ? ${digit(`${size} / 100`)} : '') + (${size} > 9 ? ${digit(`${size} / 10 % 10`)} : '') + ${digit(`${size} % 10`)}`;

/** Limits the length of `metadata.name`, if another name follows from it. The message has the number of characters. */
export function nameLength({ unless, min = 1, max, limit, set }: Limits): AdmissionRule {
  return {
    cel: `${unless} || (size(self.metadata.name) >= ${min} && size(self.metadata.name) <= ${max})`,
    message: `metadata.name has the wrong length: ${limit} characters. Set ${set}`,
    messageExpression: `'has ' + ${length} + ' characters; ${limit}. Set ${set}'`,
    fieldPath: ".metadata.name",
  };
}
