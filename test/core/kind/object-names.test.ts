/** A name that no Kubernetes object can have is a mistake in the spec, never a fault of the cluster. */
import { expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import { changes, messageOf, specs, stateOf } from "../support.ts";

const minute = 60_000;
const object = { bucketRef: { name: "media" }, objectKey: "a" };

/** A spec with this name in one field. */
const fields: { kind: string; field: string; spec: (name: string) => object }[] = [
  { kind: "BucketObject", field: "contentSecretRef.name", spec: (name) => ({ ...object, contentSecretRef: { name } }) },
  {
    kind: "BucketObject",
    field: "contentConfigMapRef.name",
    spec: (name) => ({ ...object, contentConfigMapRef: { name } }),
  },
  {
    kind: "ComputeInstance",
    field: "accountRef.name",
    spec: (name) => ({ ...specs.ComputeInstance, accountRef: { name } }),
  },
  {
    kind: "ComputeInstance",
    field: "accountRef.namespace",
    spec: (namespace) => ({ ...specs.ComputeInstance, accountRef: { name: "default", namespace } }),
  },
  {
    kind: "Firewall",
    field: "instanceRefs[0].name",
    spec: (name) => ({ ...specs.Firewall, instanceRefs: [{ name }] }),
  },
  {
    kind: "ManagedMySQL",
    field: "connectionSecret.name",
    spec: (name) => ({ ...specs.ManagedMySQL, connectionSecret: { name } }),
  },
  { kind: "CloudAccount", field: "tokenSecretRef.name", spec: (name) => ({ tokenSecretRef: { name } }) },
];

const names = ["..", ".", "a/b", "../../pods", "Upper", "a..b", "-a"];
const rows = fields.flatMap(({ kind, field, spec }) => names.map((name) => ({ kind, field, spec, name })));

it.each(rows)(
  "$kind with $name in $field reports InvalidSpec and sends nothing",
  async ({ kind, field, spec, name }) => {
    const world = createWorld();
    world.cluster.create(kind, "odd", spec(name));
    await world.advance(minute);
    expect(stateOf(world, kind, "odd")).toBe("InvalidSpec");
    expect(messageOf(world, kind, "odd")).toContain(`spec.${field}: must be the name of`);
    expect(changes(world)).toEqual([]);
  },
);
