import { ApiError } from "../errors.ts";

/** A parsed `X-Filter` header. */
export interface Filter {
  readonly matches: (row: unknown) => boolean;
  /** Compares two rows by `+order_by`. Undefined: the order of creation stays. */
  compare: ((left: unknown, right: unknown) => number) | undefined;
  /** The key and the comparison of the order. A long list computes the key once per row. */
  readonly order: Order | undefined;
  /** Values that every match has, by field. A filter can have more conditions. */
  readonly equalities: ReadonlyMap<string, unknown>;
}

interface Order {
  readonly keyOf: (row: unknown) => Comparable;
  readonly compareKeys: (left: Comparable, right: Comparable) => number;
}

type Test = (row: unknown) => boolean;
export type Comparable = string | number | boolean | null;

/**
 * Parses an `X-Filter` (not-shown section 1). A plain key means equality, or membership for a list field.
 * Throws 400 for an unknown operator or a field outside `filterable`.
 */
export function parseFilter(source: unknown, filterable: readonly string[]): Filter {
  if (!isObject(source)) throw bad("X-Filter must be a JSON object");
  const { "+order_by": orderBy, "+order": order, ...conditions } = source;
  const matches = all(conditions, filterable);
  const sorted = ordering(orderBy, order, filterable);
  return {
    matches,
    compare: sorted && ((left, right) => sorted.compareKeys(sorted.keyOf(left), sorted.keyOf(right))),
    order: sorted,
    equalities: new Map(equalitiesIn(conditions)),
  };
}

function equalitiesIn(conditions: Record<string, unknown>, path = ""): [field: string, value: unknown][] {
  return Object.entries(conditions).flatMap(([key, wanted]) => {
    if (key === "+and") return (wanted as Record<string, unknown>[]).flatMap((part) => equalitiesIn(part, path));
    if (key.startsWith("+")) return [];
    return isObject(wanted) ? equalitiesIn(wanted, `${path}${key}.`) : [[path + key, wanted]];
  });
}

const OPERATORS: Record<string, (field: Comparable, wanted: Comparable) => boolean> = {
  "+gt": (field, wanted) => order(field, wanted) > 0,
  "+gte": (field, wanted) => order(field, wanted) >= 0,
  "+lt": (field, wanted) => order(field, wanted) < 0,
  "+lte": (field, wanted) => order(field, wanted) <= 0,
  "+neq": (field, wanted) => field !== wanted,
  "+contains": (field, wanted) => String(field).toLowerCase().includes(String(wanted).toLowerCase()),
};

function all(conditions: Record<string, unknown>, filterable: readonly string[]): Test {
  const tests = Object.entries(conditions).map(([key, wanted]) => condition(key, wanted, filterable));
  return (row) => tests.every((test) => test(row));
}

function condition(key: string, wanted: unknown, filterable: readonly string[]): Test {
  if (key === "+and" || key === "+or") return combination(key, wanted, filterable);
  if (key.startsWith("+")) throw bad(`Unknown filter operator ${key}`);
  const isOperators = isObject(wanted) && Object.keys(wanted).every((name) => name.startsWith("+"));
  if (isObject(wanted) && !isOperators) return nested(key, wanted, filterable);
  if (!isFilterable(key, filterable)) throw bad(`Cannot filter on ${key}`);
  // In a list field, one item must meet all positive conditions. If any item equals `+neq`, the row does not match.
  const { "+neq": unwanted, ...rest } = isObject(wanted) ? wanted : {};
  const differs = unwanted === undefined ? undefined : operator(["+neq", unwanted]);
  const others = isObject(wanted) ? Object.entries(rest).map(operator) : [equality(wanted)];
  return (row) => {
    const found = values(row, key);
    const isMet = others.length === 0 || found.some((value) => others.every((test) => test(value)));
    return isMet && (differs === undefined || found.every(differs));
  };
}

/** Reads `{"entity": {"id": 1}}` as `{"entity.id": 1}`. */
function nested(key: string, wanted: Record<string, unknown>, filterable: readonly string[]): Test {
  return all(Object.fromEntries(Object.entries(wanted).map(([name, value]) => [`${key}.${name}`, value])), filterable);
}

function combination(key: "+and" | "+or", wanted: unknown, filterable: readonly string[]): Test {
  if (!Array.isArray(wanted) || !wanted.every(isObject)) throw bad(`${key} must be an array of filters`);
  const tests = wanted.map((part) => all(part, filterable));
  return key === "+and" ? (row) => tests.every((test) => test(row)) : (row) => tests.some((test) => test(row));
}

function operator([name, wanted]: [string, unknown]): (value: Comparable) => boolean {
  const compare = OPERATORS[name];
  if (!compare) throw bad(`Unknown filter operator ${name}`);
  if (!isComparable(wanted)) throw bad(`${name} needs a plain value`);
  return (value) => compare(value, wanted);
}

function equality(wanted: unknown): (value: Comparable) => boolean {
  if (!isComparable(wanted)) throw bad("A filter compares with a plain value");
  return (value) => value === wanted;
}

function ordering(orderBy: unknown, direction: unknown, filterable: readonly string[]): Order | undefined {
  if (direction !== undefined && direction !== "asc" && direction !== "desc") throw bad("+order must be asc or desc");
  if (orderBy === undefined) return undefined;
  if (typeof orderBy !== "string" || !isFilterable(orderBy, filterable))
    throw bad(`Cannot order by ${JSON.stringify(orderBy)}`);
  const sign = direction === "desc" ? -1 : 1;
  return {
    keyOf: (row) => values(row, orderBy)[0] ?? null,
    compareKeys: (left, right) => sign * order(left, right),
  };
}

/** Returns true for a filterable field. `data.*` allows all fields below `data`. */
function isFilterable(field: string, filterable: readonly string[]): boolean {
  return filterable.some((name) => (name.endsWith(".*") ? field.startsWith(name.slice(0, -1)) : field === name));
}

/** Returns the values at a dotted path. A list field has a value for each item. The value of an object is the label. */
function values(row: unknown, path: string): Comparable[] {
  let at: unknown[] = [row];
  for (const key of path.split(".")) at = at.flatMap((each) => (isObject(each) ? (each[key] ?? null) : null));
  return at.map((each) => (isObject(each) ? each["label"] : each)).filter(isComparable);
}

function order(left: Comparable, right: Comparable): number {
  if (typeof left === "number" && typeof right === "number") return left - right;
  const [a, b] = [String(left ?? ""), String(right ?? "")];
  return a < b ? -1 : a > b ? 1 : 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function isComparable(value: unknown): value is Comparable {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function bad(reason: string): ApiError {
  return new ApiError(400, [{ field: "X-Filter", reason }]);
}
