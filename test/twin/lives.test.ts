import { expect, it } from "vitest";
import { live } from "./lives.ts";

it.each(Array.from({ length: 12 }, (_, index) => index + 200))(
  "the operator executes exactly the planned requests: random change %i",
  { timeout: 60_000 },
  async (seed) => {
    const { planned, executed, unannounced } = await live(seed);
    expect(executed).toEqual(planned);
    expect(unannounced).toEqual([]);
  },
);
