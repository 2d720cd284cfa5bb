import { describe, expect, it } from "vitest";
import { createBrand } from "../../../src/api/brand.ts";
import type { JsonObject } from "../../../src/api/types.ts";
import { neutralSpec } from "../../../src/core/kind/neutral.ts";
import type { Neutral } from "../../../src/core/kind/neutral.ts";
import { kinds } from "../../../src/kinds/registry.ts";

const brand = createBrand("acme");
const neutral: Neutral = (fields) => brand.fromWire(fields, "") as JsonObject;

const instance = kinds.find(({ kind }) => kind === "ComputeInstance")!;

describe("a spec in the cloud's own word", () => {
  const specs = kinds.flatMap((kind) =>
    kind.examples.flatMap(({ name, spec, changes }) =>
      [spec, ...Object.values(changes ?? {})].map((one) => ({ kind, name: `${kind.kind} ${name}`, spec: one })),
    ),
  );

  it.each(specs)("means what it means with `compute`: $name", ({ kind, spec }) => {
    const own = JSON.parse(JSON.stringify(spec).replaceAll('"compute/', '"acme/')) as Record<string, unknown>;
    expect(neutralSpec(kind, own, neutral)).toEqual(JSON.parse(JSON.stringify(spec)));
  });

  it.each([
    { spec: { image: "acme/debian12" }, to: { image: "compute/debian12" }, because: "an identifier" },
    { spec: { image: "acmeos/12" }, to: { image: "acmeos/12" }, because: "another's name that begins alike" },
    { spec: { image: "private/12" }, to: { image: "private/12" }, because: "no name of the cloud" },
    { spec: { label: "acme/web" }, to: { label: "acme/web" }, because: "what people choose" },
    { spec: { tags: ["acme/web"] }, to: { tags: ["acme/web"] }, because: "a list of what people choose" },
    { spec: { image: 12 }, to: { image: 12 }, because: "what does not fit the schema" },
    { spec: { management: "x" }, to: { management: "x" }, because: "an object that is none" },
    {
      spec: { management: { adopt: { filter: { image: "acme/debian12", label: "acme/web" } } } },
      to: { management: { adopt: { filter: { image: "compute/debian12", label: "acme/web" } } } },
      because: "fields of the API",
    },
  ])("is in normal form: $because", ({ spec, to }) => {
    expect(neutralSpec(instance, spec, neutral)).toEqual(to);
  });
});
