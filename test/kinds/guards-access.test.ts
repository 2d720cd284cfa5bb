import { expect, it } from "vitest";
import { kinds } from "../../src/kinds/registry.ts";

/** Roles for people are made from this: see `test/chart/people.cluster.test.ts`. */
it.each([
  { kind: "AccessPolicy", why: "it takes access away" },
  { kind: "AccountAction", why: "it removes what everybody of the account has" },
  { kind: "ObjectStorageKey", why: "it makes a key" },
  { kind: "PhoneVerification", why: "who has the phone may open the account" },
  { kind: "Profile", why: "it sets who may log in, and how" },
  { kind: "SecurityQuestions", why: "answers open an account" },
])("no aggregated role may write $kind: $why", ({ kind }) => {
  expect(kinds.find((one) => one.kind === kind)?.guardsAccess).toBe(true);
});
