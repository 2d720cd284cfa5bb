import { expect, it } from "vitest";
import { fixedCollectionOf } from "../../src/core/model/note-claim.ts";
import { kinds } from "../../src/kinds/registry.ts";

/** A list is read once for all kinds that use it: rows with other fields would look as if somebody had changed them. */
it("kinds that read one list read the same fields of its rows", () => {
  const lists = Map.groupBy(kinds, (kind) => fixedCollectionOf(kind));
  lists.delete(undefined);
  const unlike = [...lists].filter(([, users]) => new Set(users.map(({ wire }) => wire)).size > 1);
  expect(unlike.map(([path, users]) => [path, users.map(({ kind }) => kind)])).toEqual([]);
});
