import path from "node:path";
import { describe, expect, it } from "vitest";
import { reasonDocs } from "../../src/core/kind/reasons.ts";
import { loadKinds } from "../../src/generate/load-kinds.ts";
import { reasonsOf } from "../../src/generate/reasons-of.ts";
import statuses from "../../src/generate/statuses.json" with { type: "json" };

const { kinds } = await loadKinds(path.resolve(import.meta.dirname, "../../src/kinds"));
const seen: Record<string, { name: string; status: { conditions: { reason: string }[] } }> = statuses;

describe.each(kinds.map(({ kind }) => kind).filter(({ examples }) => examples.length > 0))(
  "the status of $kind in the reference",
  (kind) => {
    it("is that of an example", () => {
      expect(kind.examples.map(({ name }) => name)).toContain(seen[kind.kind]?.name);
    });

    it("has fields that the definition has, and no other", () => {
      const { status } = seen[kind.kind] ?? {};
      expect(kind.status.parse(status)).toEqual(status);
    });

    it("has conditions with reasons that the reference names", () => {
      const reasons: string[] = reasonsOf(kind);
      for (const { reason } of seen[kind.kind]?.status.conditions ?? []) expect(reasons).toContain(reason);
    });
  },
);

it("each reason is one of some kind", () => {
  const all = new Set(kinds.flatMap(({ kind }) => reasonsOf(kind)));
  expect(Object.keys(reasonDocs).filter((reason) => !all.has(reason as never))).toEqual([]);
});
