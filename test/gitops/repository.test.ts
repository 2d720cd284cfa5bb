/** Checks the objects of the GitOps stories, which need minutes and programs of their own to run. */
import { expect, test } from "vitest";
import { kindOf } from "../../src/core/kind/reference.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { everyCarriedOut } from "../contract/support/subjects.ts";
import type { Subject } from "../contract/support/subjects.ts";
import { repositoryOf, subjectsFor } from "./manifests.ts";

/** Objects that a test supplies after the example was applied, with the reason. */
const suppliedLater: Record<string, string[]> = {
  // The user types the code that the service sends to the phone.
  "PhoneVerification mobile": ["Secret phone-code"],
};

test("make gitops runs an example of each kind, and make test runs three kinds", () => {
  expect(subjectsFor("all").map(({ kind }) => kind.kind)).toEqual(kinds.map(({ kind }) => kind));
  expect(subjectsFor(undefined).map(({ kind }) => kind.shape)).toEqual(["owned", "once", "setting"]);
});

test.for(everyCarriedOut)("$title: its repository has each object, Secret and ConfigMap that its spec names", (one) => {
  const { before } = repositoryOf(one, "shop");
  const present = new Set(before.map(({ kind, metadata: { name } }) => `${kind} ${name}`));
  const missing = namesIn(one).filter((name) => !present.has(name));
  expect(missing).toEqual(suppliedLater[one.title] ?? []);
});

/** Returns kind and name of each object, Secret and ConfigMap that a spec names. */
function namesIn({ kind, example }: Subject): string[] {
  const spec = kind.spec.parse(example.spec);
  return Object.values(kind.references ?? {}).flatMap((reference) => {
    if ("secret" in reference) {
      const { name } = reference.secret(spec) ?? {};
      return name === undefined ? [] : [`${reference.in ?? "Secret"} ${name}`];
    }
    const entries = [reference.from(spec) ?? []].flat();
    return entries.flatMap((entry) => (entry.name === undefined ? [] : [`${kindOf(reference, entry)} ${entry.name}`]));
  });
}
