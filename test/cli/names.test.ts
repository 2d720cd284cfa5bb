import { describe, expect, it } from "vitest";
import type { CloudObject } from "../../src/cli/account/objects.ts";
import { namesOf } from "../../src/cli/export/names.ts";
import { kinds } from "../../src/kinds/registry.ts";

function cloudObject(kindName: string, id: string, label: string): CloudObject {
  const kind = kinds.find((one) => one.kind === kindName)!;
  return { kind, id, row: { id, label }, list: "/any", parent: undefined };
}

const isValid = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

describe("the name of an exported object is a DNS name", () => {
  it.each<[string, string, string, string | RegExp]>([
    ["a label without Latin letters", "ComputeInstance", "日本", "7"],
    ["an ID without Latin letters", "Tag", "日本", /^tag-[0-9a-f]{8}$/],
    ["an ID of dashes", "Tag", "---", /^tag-[0-9a-f]{8}$/],
  ])("for %s", (_, kind, label, wanted) => {
    const object = cloudObject(kind, kind === "Tag" ? label : "7", label);
    const [name = ""] = namesOf([object]).values();
    expect(name).toMatch(isValid);
    expect(name).toMatch(wanted);
  });

  it("and differs for each label, also if the labels have no Latin letters", () => {
    const objects = ["日本", "中国", "tag", "Tag", "TAG", "täg", "...", "-"].map((label) =>
      cloudObject("Tag", label, label),
    );
    const names = [...namesOf(objects).values()];
    expect(new Set(names).size).toBe(objects.length);
    for (const name of names) expect(name).toMatch(isValid);
  });

  it("of at most 63 characters below a parent", () => {
    const parent = cloudObject("Domain", "1", "d".repeat(70));
    const child = { ...cloudObject("Tag", "日本", "日本"), parent: { reference: "domainRef", object: parent } };
    const other = { ...cloudObject("Tag", "中国", "中国"), parent: { reference: "domainRef", object: parent } };
    const names = [...namesOf([parent, child, other]).values()];
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(isValid);
  });
});
