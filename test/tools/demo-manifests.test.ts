import { expect, it } from "vitest";
import { operatorUser, readAdmission } from "../../tools/demo/manifests.ts";

it("runs the demo's operator as the user whom the admission rules let change what is noted on objects", () => {
  expect(operatorUser()).toBe("system:serviceaccount:cloud-platform-system:cloud-platform-operator");
});

it("installs the admission policies of a default installation with the demo, and no optional policy", () => {
  const names = [...readAdmission().matchAll(/^ {2}name: (\S+)$/gm)].map(([, name]) => name);
  expect(names).toEqual(expect.arrayContaining(["journal.cloudplatform.dev", "protect.cloudplatform.dev"]));
  expect(names).not.toContain("protect-by-default.cloudplatform.dev");
});
