import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startControlPlane } from "../support/control-plane.ts";
import type { OwnControlPlane } from "../support/control-plane.ts";
import { conditionOf } from "../support/world.ts";
import { startContractWorld } from "./support/contract-test.ts";
import { stageOf } from "./support/stage.ts";
import { twoKinds } from "./support/subjects.ts";

let cluster: OwnControlPlane;

/** A control plane whose definitions let any spec pass: as if objects had been stored under an older schema. */
beforeAll(async () => {
  cluster = await startControlPlane();
  await cluster.kubectl(["apply", "--server-side", "-f", "crds"]);
  for (const { kind } of twoKinds) await relax(kind.plural);
});
afterAll(async () => {
  await cluster?.stop();
});

describe.concurrent("A stored spec that does not parse is said and hurts nothing", () => {
  test.for(twoKinds)("$title", async (subject, { onTestFinished }) => {
    const world = await startContractWorld(cluster);
    onTestFinished(() => world.stop());
    const [field = ""] = Object.keys(subject.example.spec);
    const stage = stageOf(world, subject);
    await stage.prepare();
    await stage.create({ spec: { ...subject.example.spec, [field]: { of: ["another", "shape"] } } });
    const object = await stage.condition("Stalled", "InvalidSpec");
    expect(conditionOf(object, "Ready")?.message).toContain(`spec.${field}`);
    expect(object.metadata.finalizers ?? []).toEqual([]);

    await stage.change(subject.example.spec);
    await stage.ready();
    const id = await stage.id();
    await stage.change({ ...subject.example.spec, [field]: { of: ["another", "shape"] } });
    await stage.condition("Stalled", "InvalidSpec");
    expect(await stage.row(id)).toBeDefined();

    const before = stage.mutations().length;
    await stage.change({ ...subject.example.spec, ofTomorrow: "what a newer version knows" });
    const newer = await stage.until((one) => conditionOf(one, "Stalled")?.message.includes("ofTomorrow") ?? false);
    expect(conditionOf(newer, "Stalled")?.message).toContain("spec.ofTomorrow: not known to this version");
    expect(stage.mutations()).toHaveLength(before);

    await stage.remove();
    await stage.gone();
    expect(await stage.row(id)).toBeUndefined();
  });
});

/** Removes the schema of the spec, and whatever names fields of the spec. */
async function relax(plural: string): Promise<void> {
  const name = `${plural}.cloudplatform.dev`;
  const { stdout } = await cluster.kubectl(["get", "crd", name, "-o", "json"]);
  const { spec } = JSON.parse(stdout) as { spec: { versions: [Version] } };
  const [{ selectableFields, schema }] = spec.versions;
  const any = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const version = "/spec/versions/0";
  const rules = `${version}/schema/openAPIV3Schema/x-kubernetes-validations`;
  const patch = [
    { op: "replace", path: `${version}/schema/openAPIV3Schema/properties/spec`, value: any },
    ...("x-kubernetes-validations" in schema.openAPIV3Schema ? [{ op: "remove", path: rules }] : []),
    ...(selectableFields ? [{ op: "remove", path: `${version}/selectableFields` }] : []),
  ];
  const done = await cluster.kubectl(["patch", "crd", name, "--type=json", "-p", JSON.stringify(patch)]);
  if (done.code !== 0) throw new Error(done.stderr);
}

interface Version {
  schema: { openAPIV3Schema: object };
  selectableFields?: object[];
}
