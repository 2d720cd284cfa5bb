import { expect, it } from "vitest";
import { memoize } from "../../../src/core/kind/memoize.ts";

it("an answer that is too large to keep is not kept", () => {
  const asked: number[] = [];
  const half = memoize(
    (number: number) => {
      asked.push(number);
      return number / 2;
    },
    (answer) => answer < 10,
  );
  expect([half(4), half(4), half(40), half(40)]).toEqual([2, 2, 20, 20]);
  expect(asked).toEqual([4, 40, 40]);
});
