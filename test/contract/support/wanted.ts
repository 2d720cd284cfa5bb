import { statusOf } from "../../../src/core/kind/object.ts";
import type { JsonObject } from "../../../src/api/types.ts";
import { kindOf } from "../../../src/core/kind/reference.ts";
import type {
  ObjectReferenceTo,
  ReferenceEntry,
  Resolved,
  SecretReferenceTo,
} from "../../../src/core/kind/reference.ts";
import type { AnyDesired } from "../../../src/core/model/context.ts";
import type { ContractWorld } from "./contract-test.ts";
import type { Subject } from "./subjects.ts";

type Spec = Record<string, unknown>;

/** What a kind is asked with: the spec as the parser leaves it, and its references as they stand in the world. */
export async function wantedOf(
  world: ContractWorld,
  { kind, example }: Subject,
  { name, spec: written }: { name: string; spec: Spec },
): Promise<AnyDesired> {
  const spec = kind.spec.parse(written);
  const refs: Record<string, unknown> = {};
  for (const [field, reference] of Object.entries(kind.references ?? {})) {
    refs[field] =
      "secret" in reference
        ? secretValue(reference, { spec, name, secrets: { ...example.configMaps, ...example.secrets } })
        : await resolve(world, reference, spec);
  }
  return { name, namespace: world.namespace, spec, refs: refs as Record<string, never> };
}

function secretValue(
  reference: SecretReferenceTo<Spec>,
  { spec, name, secrets }: { spec: Spec; name: string; secrets: Record<string, Record<string, string>> },
): string | undefined {
  const chosen = reference.secret(spec);
  const value = chosen && secrets[chosen.name]?.[chosen.key ?? reference.key];
  if (chosen) return value && Buffer.from(value).toString(reference.encoding ?? "utf8");
  return reference.generate?.(spec, name) ? "Gener4ted-by-the-test" : undefined;
}

async function resolve(world: ContractWorld, reference: ObjectReferenceTo<Spec>, spec: Spec): Promise<unknown> {
  const found = reference.from(spec);
  if (found === undefined) return undefined;
  if (!Array.isArray(found)) return resolved(world, reference, found);
  return Promise.all(found.map((one) => resolved(world, reference, one)));
}

async function resolved(
  world: ContractWorld,
  reference: ObjectReferenceTo<Spec>,
  entry: ReferenceEntry,
): Promise<Resolved> {
  const { name, id } = entry;
  if (id !== undefined) return { id };
  const object = await world.get(kindOf(reference, entry), name ?? "");
  if (!object) return { id: "0", ...(name !== undefined && { name }) };
  const { status, spec } = object as { status?: JsonObject; spec?: JsonObject };
  const found = {
    id: statusOf(object).id ?? "0",
    name: object.metadata.name,
    kind: object.kind,
    ...(status && { status }),
    ...(spec && { spec }),
  };
  // The status shows the fields of the row that are copied, under the same names.
  const copied = reference.copies?.(entry, { ...found, ...(status && { row: status }) });
  return copied && "value" in copied ? { ...found, value: copied.value } : found;
}

/** What a kind is told of an object of which nothing was done yet, in a world whose token may do everything. */
export const nothingKnown = {
  operations: [],
  scopesHeard: () => [["*"]],
  now: () => new Date(),
  reported: () => ({}),
  notes: {},
  done: [],
  account: { uid: 1 },
  managerOf: () => undefined,
};
