import * as z from "zod";
import { commonSpec } from "../../src/core/kind/common-schema.ts";
import { commonStatus } from "../../src/core/kind/status-schema.ts";
import type { Described } from "../../src/core/kind/described.ts";
import type { LoadedKind } from "../../src/generate/load-kinds.ts";

/** A kind that needs no cloud, with the common fields and whatever a test is about. */
export function probe(fields: z.ZodRawShape = {}, overrides: Partial<Described> = {}): Described {
  return {
    kind: "Probe",
    plural: "probes",
    shortNames: ["cpprobe"],
    doc: "Something to try the generator on. Nothing drives it.",
    columns: [{ name: "ID", jsonPath: ".status.id" }],
    spec: z.object({ ...fields, ...commonSpec() }),
    status: z.object({ ...commonStatus }),
    examples: [],
    ...overrides,
  };
}

/** …as the scan of a folder would find it. */
export function loaded(kind: Described, reconciled = true): LoadedKind {
  const name = kind.kind.charAt(0).toLowerCase() + kind.kind.slice(1);
  return { file: `area/${kind.plural}.ts`, exportName: name, kind, reconciled, mirrored: false };
}
