import * as fc from "fast-check";
import { expect, it } from "vitest";
import { createDependents } from "../../src/observe/dependents.ts";
import type { Dependency } from "../../src/observe/dependents.ts";

const collection = { path: "/things", itemPath: (id: string) => `/things/${id}` } as Dependency["collection"];
const keys = ["a", "b", "c"];
const ids = ["1", "2"];
const rows = fc.array(
  fc.record({ id: fc.constantFrom(...ids), transitional: fc.option(fc.nat(9), { nil: undefined }) }),
  { maxLength: 3 },
);
const act = fc.record({ key: fc.constantFrom(...keys), rows: fc.option(rows, { nil: undefined }) });

it("keys live by the rows that they named last, and each row by the youngest change that one expects", () => {
  fc.assert(
    fc.property(fc.array(act, { maxLength: 12 }), (acts) => {
      const dependents = createDependents();
      const named = new Map<string, Dependency[]>();
      for (const { key, rows: given } of acts) {
        const before = named.get(key) ?? [];
        const now = given?.map((row) => ({ collection, ...row })) ?? before.map(({ id }) => ({ collection, id }));
        named.set(key, now);
        if (given) dependents.set(key, now);
        else dependents.rest(key);
      }
      for (const id of ids) {
        const living = keys.filter((key) => named.get(key)?.some((row) => row.id === id));
        expect(dependents.keysOf("/things", id).toSorted()).toEqual(living);
        expect(dependents.keysAbove(`/things/${id}/parts?x=1`).toSorted()).toEqual(living);
        expect(dependents.uses("/things", id)).toBe(living.length > 0);
        const expects = [...named.values()].flat().some((row) => row.id === id && row.transitional !== undefined);
        expect(dependents.transitional("/things").has(id)).toBe(expects);
      }
      expect(dependents.empty()).toBe([...named.values()].every((list) => list.length === 0));
    }),
  );
});
