/** Examples of kinds, reduced to objects and values that examples create. */
import type { NamedExample } from "../../../src/generate/example-manifests.ts";
import { memoize } from "../../../src/core/kind/memoize.ts";
import type { CloudName } from "../../../src/core/kind/leaf-class.ts";
import type { Leaf } from "../../../src/core/kind/leaves.ts";
import type { Kind } from "../../../src/core/kind/owned.ts";
import { tenancyOf } from "../../../src/core/model/tenancy.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { namesIn, valuesAt, withValue, without } from "./paths.ts";
import type { Spec } from "./paths.ts";
import { isAccepted } from "./schema.ts";

/** A field that names a cloud object of the namespace. */
export interface OwnName {
  path: string;
  owners: readonly string[];
  /** The reference to the parent of the cloud object. */
  within?: string | undefined;
}

export interface PlainExample {
  example: Kind["examples"][number];
  spec: Spec;
  /** Objects that the spec names. */
  needs: NamedExample[];
  /** Names of cloud objects that the schema requires. */
  own: OwnName[];
}

/**
 * Returns the examples of a kind. A spec contains a name of a cloud object only if the schema requires the name. The first
 * half of the result has only required fields.
 */
export const plainExamples = memoize((kind: Kind): PlainExample[] => {
  const whole = kind.examples.map((example) => plainOf(kind, example, example.spec));
  const small = whole.map(({ example, spec }) => plainOf(kind, example, smallest(kind, spec)));
  return [...small, ...whole];
});

/** Returns the examples of a kind with names of cloud objects. References contain names of objects instead of IDs. */
export const wholeExamples = memoize((kind: Kind): PlainExample[] =>
  kind.examples.map((example) => {
    const whole: PlainExample = { example, spec: example.spec, needs: [], own: [] };
    const { leaves } = tenancyOf(kind);
    for (const { path, leaf } of leaves) {
      const isGiven = leaf?.is === "cloudName" && path.endsWith(".id") && valuesAt(whole.spec, path).length > 0;
      whole.spec = (isGiven && byName(kind, path, leaf.of, whole.spec)) || whole.spec;
    }
    for (const leaf of leaves) withNamed(leaf, whole);
    return whole;
  }),
);

function plainOf(kind: Kind, example: PlainExample["example"], given: Spec): PlainExample {
  const plain: PlainExample = { example, spec: given, needs: [], own: [] };
  const { leaves } = tenancyOf(kind);
  for (const leaf of leaves) withoutName(kind, leaf, plain);
  for (const leaf of leaves) withNamed(leaf, plain);
  return plain;
}

/** Removes each field that neither the schema nor a rule for the API server requires. */
function smallest(kind: Kind, spec: Spec): Spec {
  const isRuled = (name: string): boolean => kind.admission?.some(({ cel }) => cel.includes(`.${name}`)) === true;
  return Object.keys(spec).reduce((kept, name) => {
    const shorter = without(kept, [name]);
    return !isRuled(name) && isAccepted(kind, shorter) ? shorter : kept;
  }, spec);
}

function withoutName(kind: Kind, { path, leaf }: Leaf, plain: PlainExample): void {
  if (leaf?.is !== "cloudName" || leaf.of === "itself") return;
  const named = valuesAt(plain.spec, path).filter((one) => !new RegExp(leaf.open ?? "^$").test(String(one)));
  if (named.length === 0) return;
  const removed = namesIn(path).map((_, index, names) => without(plain.spec, names.slice(0, names.length - index)));
  const accepted = removed.find((spec) => isAccepted(kind, spec));
  if (accepted) {
    plain.spec = accepted;
    return;
  }
  const other = path.endsWith(".id") ? byName(kind, path, leaf.of, plain.spec) : undefined;
  if (other) plain.spec = other;
  else plain.own.push(ownNameAt(path, leaf));
}

/** Replaces the ID in a reference by the name of an example. */
function byName(kind: Kind, path: string, of: string, spec: Spec): Spec | undefined {
  const need = firstExample(of);
  if (!need) return undefined;
  const named = withValue(without(spec, namesIn(path)), path.replace(/\.id$/, ".name"), need.name);
  return named.find((one) => isAccepted(kind, one));
}

/** Adds the objects that the spec names. */
function withNamed({ path, leaf }: Leaf, { example, spec, needs }: PlainExample): void {
  if (leaf?.is !== "reference" || leaf.to === "CloudAccount") return;
  const kindNames = [leaf.to].flat();
  for (const name of valuesAt(spec, path) as string[]) {
    const given = example.needs?.find((one) => kindNames.includes(one.kind) && (one.name ?? one.example) === name);
    const need = given ? exampleNamed(given.kind, given.example) : firstExample(kindNames[0] ?? "");
    if (need && !needs.some((one) => one.kind === need.kind && one.name === name)) needs.push({ ...need, name });
  }
}

function exampleNamed(of: string, name: string): NamedExample | undefined {
  const kind = kinds.find((one) => one.kind === of);
  const example = kind?.examples.find((one) => one.name === name);
  return kind && example && { kind, name, example };
}

/** Returns the field with the kinds that create cloud objects of the type. */
export function ownNameAt(path: string, { of, owners = [of], within }: CloudName): OwnName {
  // A ComputeSnapshot runs once, so that it owns no cloud object. Its result is a backup.
  const makers = of === "Backup" ? ["ComputeSnapshot"] : owners;
  return { path, owners: makers.filter((one) => firstExample(one) !== undefined), within: within?.field };
}

/** Returns the example of a kind with the fewest needed objects, then with the fewest fields. */
export function firstExample(of: string): NamedExample | undefined {
  const kind = kinds.find((one) => one.kind === of);
  const carriedOut = kind?.examples.filter(({ shownOnly }) => !shownOnly) ?? [];
  const weight = ({ needs = [], spec }: (typeof carriedOut)[number]) => 100 * needs.length + Object.keys(spec).length;
  const [example] = carriedOut.toSorted((one, other) => weight(one) - weight(other));
  return kind && example && { kind, name: example.name, example };
}
