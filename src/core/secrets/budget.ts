/** Limits the size of the values that an object reads from Secrets and ConfigMaps. */
import { Invalid } from "../kind/outcome.ts";

export interface NamedValue {
  /** Path in the spec, without `spec.`. */
  field: string;
  /** `Secret` or `ConfigMap`. */
  from: string;
  name: string;
  key: string;
  value: string;
  /** Set if the value is in base64. The limit counts the decoded bytes. */
  encoding?: "base64" | undefined;
  /** A separate limit in bytes, for kinds that deliver large content. */
  mostBytes?: number | undefined;
}

/** Takes a value from the budget of a request. Throws `Invalid` if the value exceeds the limit. */
export type ValueBudget = (value: NamedValue) => void;

/**
 * Returns a budget of `mostBytes` for each value, and of twice `mostBytes` in total. The limit bounds the work for an
 * object: the operator copies, hashes and scrubs each value. A value with a separate limit counts only against the
 * separate limit.
 */
export function createValueBudget(mostBytes: number): ValueBudget {
  let left = 2 * mostBytes;
  return ({ field, from, name, key, value, encoding, mostBytes: own }) => {
    const bytes = Buffer.byteLength(value, encoding ?? "utf8");
    if (own === undefined) left -= bytes;
    const limit = own ?? mostBytes;
    if (bytes <= limit && left >= 0) return;
    const size = `the value of key ${key} in ${from} ${name} has ${amount(bytes)}`;
    const most =
      bytes > limit ? `the limit is ${amount(limit)}` : `all values together exceed ${amount(2 * mostBytes)}`;
    const setting = own === undefined ? ", or ask the administrator to raise --secret-value-kib" : "";
    throw new Invalid(
      `spec.${field}`,
      `${size}, and ${most}. The operator sends no request. Store a smaller value${setting}`,
    );
  };
}

function amount(bytes: number): string {
  return `${bytes.toLocaleString("en")} bytes`;
}
