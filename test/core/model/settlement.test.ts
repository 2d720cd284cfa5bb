import { describe, expect, it } from "vitest";
import { settle } from "../../../src/core/model/settlement.ts";
import type { Evidence } from "../../../src/core/model/settlement.ts";

const open: Evidence = {
  shown: "nothing",
  hadNoEffect: false,
  leftMs: 0,
  isAllowedAgain: false,
  isRepeatable: false,
};

describe("the outcome of a request without a response", () => {
  it("is done as soon as the cloud shows the result, even if the request was refused", () => {
    expect(settle({ ...open, shown: "result", leftMs: 1_000 })).toBe("done");
    expect(settle({ ...open, shown: "result", hadNoEffect: true })).toBe("done");
  });

  it("is pending while the request can take effect, even if the user permits a second request", () => {
    for (const shown of ["nothing", "near"] as const)
      expect(settle({ ...open, shown, leftMs: 1, isAllowedAgain: true, isRepeatable: true })).toBe("pending");
  });

  it("is nothing at once if the request had no effect", () => {
    expect(settle({ ...open, hadNoEffect: true, leftMs: 1_000 })).toBe("nothing");
  });

  it("needs a decision at once if several cloud objects can be the result", () => {
    expect(settle({ ...open, shown: "unclear", leftMs: 1_000, isRepeatable: true })).toBe("uncertain");
    expect(settle({ ...open, shown: "unclear", leftMs: 1_000, isAllowedAgain: true })).toBe("uncertain");
  });

  it("is nothing if the user says that no possible result is the result", () => {
    expect(settle({ ...open, shown: "unclear", isAllowedAgain: true })).toBe("nothing");
  });

  it("needs a decision at the end if a repetition can do harm, or if a near match exists", () => {
    expect(settle(open)).toBe("uncertain");
    expect(settle({ ...open, isRepeatable: true })).toBe("nothing");
    expect(settle({ ...open, shown: "near", isRepeatable: true })).toBe("uncertain");
    expect(settle({ ...open, shown: "near", isAllowedAgain: true })).toBe("nothing");
  });

  it("is failed if the cloud shows the failure", () => {
    expect(settle({ ...open, shown: "failure", isAllowedAgain: true })).toBe("failed");
  });

  it("permits a second request only without an effect, with a permission, or if a repetition does no harm", () => {
    for (const shown of ["result", "failure", "unclear", "near", "nothing"] as const)
      for (const leftMs of [0, 1]) expect(settle({ ...open, shown, leftMs })).not.toBe("nothing");
  });
});
