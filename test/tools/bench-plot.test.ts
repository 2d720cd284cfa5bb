import { expect, it } from "vitest";
import { plot, seriesOf } from "../../tools/bench/plot.ts";

const figures = [
  { what: "resident with 0 objects", value: 90, unit: "MiB" },
  { what: "resident after creating 100 objects", value: 100, unit: "MiB" },
  { what: "resident after creating 10000 objects", value: 200, unit: "MiB" },
  { what: "CPU for each, up to 100 objects", value: 6, unit: "ms" },
  { what: "keys through the queue", value: 6, unit: "/s" },
];

it("figures that differ in the number of objects make one curve; those without one, or of none, make none", () => {
  expect(seriesOf(figures)).toEqual([
    {
      name: "resident after creating",
      unit: "MiB",
      points: [
        [100, 100],
        [10_000, 200],
      ],
    },
    { name: "CPU for each", unit: "ms", points: [[100, 6]] },
  ]);
});

it("the drawing begins at zero, and names what it shows with its unit", () => {
  const [memory] = seriesOf(figures);
  const drawn = plot("Memory", "MiB", memory ? [memory] : []);
  expect(drawn).toContain("Memory, MiB, by number of objects");
  expect(drawn).toContain(">resident after creating</text>");
  // Half of the way up for half of 200, and all of it for all.
  expect(drawn).toContain('points="56.0,138.0 544.0,40.0"');
});
