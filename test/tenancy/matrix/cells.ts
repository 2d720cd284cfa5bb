/** Cells of the matrix, and permissions by the classification. */
import type { CloudName } from "../../../src/core/kind/leaf-class.ts";
import { reachOf } from "../../../src/core/kind/reach.ts";
import { tenancyOf } from "../../../src/core/model/tenancy.ts";
import { candidateOf, candidatesFor } from "./candidates.ts";
import type { Candidate } from "./candidates.ts";
import { canAdopt, reachesFurther } from "./fields.ts";
import type { Field } from "./fields.ts";
import { valuesAt } from "./paths.ts";
import type { Spec } from "./paths.ts";
import { places } from "./places.ts";
import type { Grant, PlaceName } from "./places.ts";
import { ownNameAt, plainExamples } from "./plain.ts";
import type { PlainExample } from "./plain.ts";
import { hasPlainField, isImmutable } from "./schema.ts";
import { foreignNames } from "./things.ts";

export const operations = ["create", "adopt", "change", "delete"] as const;
export type Operation = (typeof operations)[number];

/**
 * `foreign`: a cloud object of another user, or a Secret of another namespace. `token`: the Secret with the token of an account.
 * `own`: a cloud object that an object of the namespace created, or a Secret of the namespace. `public`: a value for every namespace.
 */
export type Value = "foreign" | "token" | "own" | "public";

export interface Row {
  field: Field;
  value: Value;
  operation: Operation;
}

export interface Cell extends Row {
  place: PlaceName;
}

/** Name of the Secret or ConfigMap of a cell. */
export const secretNames: Readonly<Record<Value, string>> = {
  foreign: "secret-of-others",
  token: "cloud-token",
  own: "own-secret",
  public: "none",
};

/** Returns the values of a field. The matrix combines each value with each operation. */
export function valuesFor(field: Field): Value[] {
  if (field.is === "secret") return field.of === "Secret" ? ["own", "foreign", "token"] : ["own", "foreign"];
  if (field.is !== "name") return ["foreign"];
  return ["foreign", "own", ...(field.name.open === undefined ? [] : (["public"] as const))];
}

/** Returns the reason why a row of the matrix cannot exist; undefined if the row exists. */
export function whySkipped({ field, value, operation }: Row): string | undefined {
  const { kind, path } = field;
  if (field.is === "adoption" && operation === "create") return "a creation with spec.management.adopt is an adoption";
  if (operation === "adopt" && !canAdopt(kind)) return "the kind adopts nothing";
  if (path.startsWith("management.adopt.filter") && !hasPlainField(kind))
    return "rows have no field that a filter compares";
  if (operation === "change" && path !== "" && isImmutable(kind, path))
    return "the API server refuses a change of the field";
  if (value === "own" || value === "public") {
    if (operation !== "create") return "the creation shows that the namespace may use its own names";
    if (field.is === "name" && path.endsWith(".id") && isReference(field))
      return "an object refers to a managed cloud object by name";
    if (field.is === "name" && value === "own" && ownNameAt(path, field.name).owners.length === 0)
      return "no kind creates such cloud objects";
  }
  if (candidatesOf({ field, value, operation }).length > 0) return undefined;
  return operation === "change" ? "no field of an example can change" : "the schema accepts no spec with the field";
}

function isReference({ kind, path }: Field): boolean {
  const { references = {} } = kind;
  const above = path.replace(/\.id$/, "").replaceAll("[]", "");
  return Object.entries(references).some(
    ([name, one]) => !("secret" in one) && (name === above || above.startsWith(name)),
  );
}

const known = new Map<string, Candidate[]>();

/** Returns specs for a row, those with the fewest differences from an example first. */
export function candidatesOf({ field, value, operation }: Row): Candidate[] {
  const changing = operation === "change";
  const key = [field.kind.kind, field.path, field.is, value, changing].join(" ");
  const found = known.get(key) ?? [...specsFor(field, value, changing)];
  known.set(key, found);
  return found;
}

function* specsFor(field: Field, value: Value, changing: boolean): Generator<Candidate> {
  const { kind, path } = field;
  const carriedOut = plainExamples(kind).filter(({ example }) => !example.shownOnly);
  if (field.is === "adoption") yield* carriedOut.map((plain) => candidateOf(plain));
  else if (field.is === "reach") yield* carriedOut.flatMap((plain) => ofReach(kind, plain, changing));
  else if (field.is === "secret") yield* candidatesFor(kind, { path, values: [secretNames[value]], changing });
  else {
    const values = value === "public" ? publicNames : foreignNames(field.name);
    const own = value === "own" ? [ownNameAt(path, field.name)] : [];
    for (const one of candidatesFor(kind, { path, values, changing })) yield { ...one, own: [...own, ...one.own] };
  }
}

const publicNames = ["compute/debian12"];

/** Returns an example with the reach; for a change, with the first change of the example that a user can make. */
function ofReach(kind: Field["kind"], plain: PlainExample, changing: boolean): Candidate[] {
  if (!reachesFurther(kind, plain.spec)) return [];
  if (!changing) return [candidateOf(plain)];
  return Object.values(plain.example.changes ?? {}).map((change) =>
    candidateOf(plain, Object.assign({}, plain.spec, change)),
  );
}

/** Returns true if the classification permits the cell: the place has each grant that the spec needs. */
export function isPermitted({ field, value, operation, place }: Cell, candidate: Candidate): boolean {
  if (place === "foreign" || (field.is === "secret" && value !== "own")) return false;
  return missingGrants({ field, value, operation, place }, candidate).length === 0;
}

/** Returns the grants that the place lacks. The operator checks the reach first. */
export function missingGrants({ field, operation, place }: Cell, { spec, own }: Candidate): Grant[] {
  const { kind } = field;
  const { reach } = reachOf(kind, spec);
  const has = (grant: Grant) => place === "owner" || places[place].grants.some((one) => one === grant);
  const needed: Grant[] = ["namespaces"];
  if (reach === "account") needed.push("accountWide");
  if (reach === "existing") needed.push("existing");
  if (operation === "adopt" || field.is === "adoption") needed.push("existing");
  const names = cloudNamesOf(kind, spec)
    .filter(({ path }) => !own.some((one) => one.path === path))
    .filter(({ name }) => !(name.covered && has("accountWide")));
  if (names.length > 0) needed.push("existing");
  return needed.filter((grant) => !has(grant));
}

/** Returns the names of cloud objects in a spec, without public names. Values of the namespace itself are not in the spec yet. */
function cloudNamesOf(kind: Field["kind"], spec: Spec): { path: string; name: CloudName }[] {
  return tenancyOf(kind).leaves.flatMap(({ path, leaf }) => {
    if (leaf?.is !== "cloudName" || leaf.of === "itself") return [];
    const named = valuesAt(spec, path).filter((one) => !new RegExp(leaf.open ?? "^$").test(String(one)));
    return named.map(() => ({ path, name: leaf }));
  });
}
