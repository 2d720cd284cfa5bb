import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/api/types.ts";
import { identifying, targetOf } from "../../../src/cli/terraform/covered.ts";
import { namesFor } from "../../../src/cli/terraform/names.ts";
import { readState } from "../../../src/cli/terraform/state.ts";
import type { StateResource } from "../../../src/cli/terraform/state.ts";

const canary = "canary-5b1e";

/** One resource of a state of version 4. */
export function resource(type: string, name: string, instances: Json[], module?: string): Json {
  const provider = 'provider["registry.terraform.io/linode/linode"]';
  return { mode: "managed", type, name, provider, instances, ...(module !== undefined && { module }) };
}

const stateFile = {
  version: 4,
  outputs: { password: { value: canary, type: "string", sensitive: true } },
  resources: [
    { ...(resource("linode_region", "here", [{ attributes: { id: "us-east" } }]) as object), mode: "data" },
    resource(
      "linode_instance",
      "node",
      [
        { index_key: "a", attributes: { id: "7", label: "renamed", root_pass: canary } },
        { index_key: 'o"c${x}', attributes: { id: 8 } },
        { deposed: "1a2b", attributes: { id: "9" } },
      ],
      'module.web["eu.west"].module.pool[1]',
    ),
    resource("linode_domain_record", "www", [{ index_key: 0, attributes: { id: "3", domain_id: 2, target: canary } }]),
    resource("random_string", "id", [{ attributes: { id: canary, result: canary } }]),
  ],
};

const shown = {
  format_version: "1.0",
  terraform_version: "1.11.4",
  values: {
    outputs: { password: { value: canary, sensitive: true } },
    root_module: {
      resources: [
        { mode: "data", type: "linode_region", name: "here", values: { id: "us-east" } },
        {
          address: "linode_domain_record.www[0]",
          mode: "managed",
          type: "linode_domain_record",
          name: "www",
          index: 0,
          values: { id: "3", domain_id: 2, target: canary },
          sensitive_values: {},
        },
        { mode: "managed", type: "random_string", name: "id", values: { id: canary, result: canary } },
      ],
      child_modules: [
        {
          address: 'module.web["eu.west"]',
          child_modules: [
            {
              address: 'module.web["eu.west"].module.pool[1]',
              resources: [
                {
                  mode: "managed",
                  type: "linode_instance",
                  name: "node",
                  index: "a",
                  values: { id: "7", label: "renamed", root_pass: canary },
                },
                { mode: "managed", type: "linode_instance", name: "node", index: 'o"c${x}', values: { id: 8 } },
                { mode: "managed", type: "linode_instance", name: "node", deposed_key: "1a2b", values: { id: "9" } },
              ],
            },
          ],
        },
      ],
    },
  },
};

const node = 'module.web["eu.west"].module.pool[1].linode_instance.node';

function read(content: string | Uint8Array): StateResource[] {
  return readState(
    typeof content === "string" ? new TextEncoder().encode(content) : content,
    "state.json",
    identifying,
  );
}

describe("a state of Terraform", () => {
  it.each([
    ["of version 4", stateFile],
    ["as terraform show -json prints it", shown],
  ])("%s gives addresses and identities, without data sources", (_, state) => {
    const resources = read(JSON.stringify(state)).map(({ address, deposed, identity }) => ({
      address,
      deposed,
      identity,
    }));
    expect(resources.toSorted((a, b) => (a.address < b.address ? -1 : 1))).toEqual([
      { address: "linode_domain_record.www[0]", deposed: false, identity: { id: "3", domain_id: "2" } },
      { address: node, deposed: true, identity: { id: "9" } },
      { address: `${node}["a"]`, deposed: false, identity: { id: "7" } },
      { address: `${node}[${JSON.stringify('o"c$${x}')}]`, deposed: false, identity: { id: "8" } },
      { address: "random_string.id", deposed: false, identity: {} },
    ]);
    expect(JSON.stringify(read(JSON.stringify(state)))).not.toContain(canary);
  });

  it("can have UTF-16 from a shell, or a mark for the byte order", () => {
    const text = JSON.stringify(stateFile);
    const wide = Buffer.from(`\uFEFF${text}`, "utf16le");
    expect(read(wide)).toEqual(read(text));
    expect(read(`\uFEFF${text}`)).toEqual(read(text));
  });

  it.each([
    ["a text of another format", `{"version": 4, "password": "${canary}`, "state.json is not JSON. Write one with"],
    ["a list", `["${canary}"]`, "state.json is no state of Terraform"],
    ["an older version", `{"version": 3, "modules": ["${canary}"]}`, "state.json has version 3 of the state, not 4"],
    ["an encrypted state", `{"encrypted_data": "${canary}", "meta": {}}`, "state.json is encrypted"],
    ["a plan", `{"format_version": "1.2", "planned_values": {"a": "${canary}"}}`, "state.json is a plan"],
    [
      "a module without an address",
      JSON.stringify({ version: 4, resources: [resource("linode_instance", "a", [{}], canary)] }),
      "state.json: resources[0] has no valid address. Write one with",
    ],
    [
      "a resource without a name",
      JSON.stringify({ version: 4, resources: [resource("linode_instance", `"${canary}"`, [{}])] }),
      "state.json: resources[0] has no valid address. Write one with",
    ],
  ])("is refused for %s, without a part of the text", (_, text, message) => {
    const error = (() => {
      try {
        read(text);
      } catch (thrown) {
        return thrown as Error;
      }
      return undefined;
    })();
    expect(error?.message).toContain(message);
    expect([error?.message, error?.stack, JSON.stringify(error?.cause)].join("")).not.toContain(canary);
  });
});

describe("a forged address", () => {
  const forged = "module.a\n  lifecycle {\n    destroy = true\n  }\n}\nremoved {\n  from = x";
  const good = resource("linode_instance", "good", [{}]);

  it.each<[string, Json]>([
    ["a module", resource("linode_instance", "a", [{}], forged)],
    ["a module after a valid one", resource("linode_instance", "a", [{}], "module.b.module.a b")],
    ["a module with a space in it", resource("linode_instance", "a", [{}], "module.a }")],
    ["a module with an empty part", resource("linode_instance", "a", [{}], "module.a.")],
    ["a key of a module", resource("linode_instance", "a", [{}], 'module.a["x\n"]')],
    ["a type", resource("linode_instance\n}", "a", [{}])],
    ["a name", resource("linode_instance", "a\n}", [{}])],
    ["a name that begins with a digit", resource("linode_instance", "1a", [{}])],
    ["a negative key", resource("linode_instance", "a", [{ index_key: -1 }])],
    ["a key that is an object", resource("linode_instance", "a", [{ index_key: { a: 1 } }])],
  ])("in %s is refused by its position", (_, one) => {
    const show = { format_version: "1.0", values: { root_module: { child_modules: [shownModule(one)] } } };
    const start = "state.json: ";
    expect(() => read(JSON.stringify({ version: 4, resources: [good, one] }))).toThrow(
      new RegExp(`^${start}resources\\[1\\] has no valid address\\. Write one with.*$`),
    );
    expect(() => read(JSON.stringify(show))).toThrow(
      new RegExp(`^${start}root_module\\.child_modules\\[0\\]\\.resources\\[0\\] has no valid address\\. Write.*$`),
    );
  });

  function shownModule(one: Json): Json {
    const { module, type, name, instances } = one as { module?: string; type: string; name: string; instances: Json[] };
    const { index_key: index } = instances[0] as { index_key?: Json };
    const address = module === undefined ? {} : { address: module };
    return { ...address, resources: [{ mode: "managed", type, name, ...(index !== undefined && { index }) }] };
  }

  it.each([
    ['a"]\n}', String.raw`["a\"]\n}"]`],
    ["${x}%{y}", '["$${x}%%{y}"]'],
    ["\b\f\\b", String.raw`["\u0008\u000c\\b"]`],
    ["\u009b2J\u2028\u202e", String.raw`["\u009b2J\u2028\u202e"]`],
  ])("has the key %j in quotes", (key, text) => {
    const [found] = read(JSON.stringify({ version: 4, resources: [resource("linode_x", "a", [{ index_key: key }])] }));
    expect(found?.address).toBe(`linode_x.a${text}`);
  });

  it.each(["linode_constructor", "linode___proto__", "linode_toString"])("of the type %s is of no kind", (type) => {
    const [found] = read(
      JSON.stringify({ version: 4, resources: [resource(type, "a", [{ attributes: { id: "1" } }])] }),
    );
    expect(found && targetOf(found)).toEqual({ why: "no kind manages this type" });
  });
});

describe("the name of an imported object", () => {
  const place = { type: "linode_instance", name: "node", modules: [], key: undefined, deposed: false, identity: {} };
  const names = (...resources: Partial<StateResource>[]): string[] => {
    const items = resources.map((one) => ({
      kind: "ComputeInstance",
      resource: { ...place, block: one.address ?? "", address: "", ...one },
    }));
    const found = namesFor(items);
    return items.map((item) => found.get(item) ?? "");
  };

  it.each<[string, Partial<StateResource>, string]>([
    ["modules, name and key", { modules: [{ name: "web", key: undefined }], key: "a" }, "web-node-a"],
    ["a number of count", { key: 0 }, "node-0"],
    ["keys of modules", { modules: [{ name: "web", key: "EU.west" }] }, "web-eu-west-node"],
    ["letters of other languages", { name: "Bücher_größe" }, "bucher-grosse"],
    ["the type, without a usable letter", { name: "日本" }, "linode-instance"],
  ])("consists of %s", (_, resource, name) => {
    expect(names(resource)).toEqual([name]);
  });

  it("has a number if another address gives the same name, in the order of the addresses", () => {
    const modules = [{ name: "web", key: undefined }];
    expect(
      names(
        { address: "module.web.linode_instance.node", modules },
        { address: "linode_instance.web_node", name: "web_node" },
        { address: "linode_instance.web-node", name: "web-node" },
      ),
    ).toEqual(["web-node-3", "web-node-2", "web-node"]);
  });

  it("has at most 63 characters, with its number", () => {
    const name = "n".repeat(80);
    const [first = "", second = ""] = names({ name, address: "a" }, { name, address: "b" });
    expect([first.length, second.length]).toEqual([63, 63]);
    expect(second.endsWith("-2")).toBe(true);
  });
});
