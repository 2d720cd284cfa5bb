import { describe, expect, it } from "vitest";
import { keyText, moduleAddress, modulePathOf } from "../../../src/cli/terraform/address.ts";
import type { Key } from "../../../src/cli/terraform/address.ts";
import type { StateResource } from "../../../src/cli/terraform/state.ts";
import { forgettingOf, removedBlocks, stepsText } from "../../../src/cli/terraform/steps.ts";

function resource(module: string, name: string, key?: Key): StateResource {
  const modules = modulePathOf(module);
  const at = (keyed: boolean): string =>
    [moduleAddress(modules, keyed), "linode_instance", name].filter(Boolean).join(".");
  const addresses = { address: `${at(true)}${keyText(key)}`, block: at(false) };
  return { ...addresses, modules, type: "linode_instance", name, key, deposed: false, identity: {} };
}

const node = "linode_instance.node";

describe("Terraform forgets", () => {
  it.each<[string, { imported: StateResource[]; staying: StateResource[]; removed: string[]; single: string[] }]>([
    [
      "a resource with all its instances by one block",
      {
        imported: [resource("", "node", 0), resource("", "node", 1)],
        staying: [resource("", "node_b")],
        removed: [node],
        single: [],
      },
    ],
    [
      "an instance by a command, if another instance stays, because a block has no keys",
      {
        imported: [resource("", "node", "a"), resource("", "node", "it's")],
        staying: [resource("", "node", "b")],
        removed: [],
        single: [`${node}["a"]`, `${node}["it's"]`],
      },
    ],
    [
      "a module with all its instances by one block",
      {
        imported: [resource('module.web["a"]', "node"), resource('module.web["b"].module.db', "node")],
        staying: [resource("module.web2", "node")],
        removed: ["module.web"],
        single: [],
      },
    ],
    [
      "only resources of a module, if another resource of the module stays",
      {
        imported: [resource("module.web", "node", 0), resource("module.web.module.db", "node")],
        staying: [resource("module.web", "other")],
        removed: [`module.web.${node}`, "module.web.module.db"],
        single: [],
      },
    ],
    [
      "one instance of a module by a command, if another one stays",
      {
        imported: [resource('module.web["a"]', "node")],
        staying: [resource('module.web["b"]', "node")],
        removed: [],
        single: [`module.web["a"].${node}`],
      },
    ],
  ])("%s", (_, { imported, staying, removed, single }) => {
    expect(forgettingOf([...imported, ...staying], new Set(imported))).toEqual({
      removed: removed.toSorted(),
      single: single.toSorted(),
    });
  });

  it("nothing if the import has no resource", () => {
    const forgetting = forgettingOf([resource("", "node")], new Set());
    expect(forgetting).toEqual({ removed: [], single: [] });
    expect(removedBlocks(forgetting)).toBe("");
  });
});

describe("the next steps", () => {
  const options = { folder: undefined, namespace: undefined, command: "cloudplatform import terraform s.json" };

  it("have only commands for single instances without a whole resource", () => {
    const text = stepsText({ removed: [], single: [`${node}["it's"]`] }, options);
    expect(text).not.toContain("removed");
    expect(text).toContain(String.raw`     terraform state rm '${node}["it'\''s"]'` + "\n");
    expect(text).toContain("5. Switch to the policy Manage, with the same copy of the state:\n");
  });

  it("write the manifests to a file without a folder", () => {
    const text = stepsText({ removed: [node], single: [] }, options);
    expect(text).toContain("     kubectl apply -f FILE\n");
    expect(text).toContain("     cloudplatform import terraform s.json --manage > FILE\n");
    expect(text).not.toContain("removed.tf");
  });

  it("quote the namespace", () => {
    const text = stepsText({ removed: [], single: [] }, { ...options, namespace: "a;b" });
    expect(text).toContain("     kubectl -n 'a;b' apply -f FILE\n");
  });
});
