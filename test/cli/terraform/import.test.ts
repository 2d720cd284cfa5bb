import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import type { Json, JsonObject } from "../../../src/api/types.ts";
import { startSimulator } from "../../../src/simulator/simulator.ts";
import type { Simulator } from "../../../src/simulator/simulator.ts";
import { accountFlags, folderOfTest, runCli } from "../run.ts";
import type { Ran } from "../run.ts";
import { brandWord, recordedShow, recordedState, rename, replay } from "./recording.ts";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ brandWord, timeScale: 600 });
  await replay(simulator);
  await rename(simulator);
}, 60_000);
afterAll(() => simulator.close());

const run = (file: string, ...more: string[]): Promise<Ran> =>
  runCli(["import", "terraform", file, ...accountFlags(simulator), "--brand-word", brandWord, ...more]);

interface Manifest {
  kind: string;
  metadata: { name: string };
  spec: JsonObject;
}

function manifestsIn(out: string): Map<string, Manifest["spec"]> {
  const all = parseAllDocuments(out).map((one) => one.toJS() as Manifest);
  return new Map(all.map(({ kind, metadata, spec }) => [`${kind}/${metadata.name}`, spec]));
}

describe("import terraform, with the recorded state of the provider", () => {
  it("gives every covered resource an object with the ID, and lists the others", async () => {
    const { code, out, err } = await run(recordedState);
    const manifests = manifestsIn(out);
    expect(err).toContain("34 of 35 resources imported as 32 objects\n");
    expect(err).toContain("stays in Terraform: terraform_data.note: not a resource of this cloud\n");
    expect(err).not.toContain("not imported");
    expect(code).toBe(0);
    expect([...manifests.keys()].toSorted()).toMatchInlineSnapshot(`
      [
        "Bucket/media",
        "ComputeConfig/rescue",
        "ComputeDisk/data",
        "ComputeInstance/bare",
        "ComputeInstance/web-blue-node-a",
        "ComputeInstance/web-blue-node-b",
        "ComputeInstance/web-green-node-a",
        "ComputeInstance/web-green-node-b",
        "ComputeInstance/worker-0",
        "ComputeInstance/worker-1",
        "Domain/web-blue-this",
        "Domain/web-green-this",
        "Domain/zone",
        "DomainRecord/host",
        "DomainRecord/host-api-v2",
        "DomainRecord/host-www",
        "DomainRecord/mail",
        "DomainRecord/mail-address",
        "DomainRecord/web-blue-node-a",
        "DomainRecord/web-blue-node-b",
        "DomainRecord/web-green-node-a",
        "DomainRecord/web-green-node-b",
        "Firewall/edge",
        "Firewall/inner",
        "IPAddress/second",
        "IPSharing/failover",
        "IPv6Range/containers",
        "Image/golden",
        "ManagedMySQL/shop",
        "ObjectStorageKey/uploader",
        "ReverseDNS/mail",
        "SSHKey/admin",
      ]
    `);
    for (const spec of manifests.values()) expect(spec["management"]).toMatchObject({ policy: "Observe" });
  });

  it("takes values from the account, such as a label that changed after the last refresh of the state", async () => {
    const { out } = await run(recordedState);
    expect(readFileSync(recordedState, "utf8")).not.toContain("renamed-by-hand");
    expect(out).toContain("label: renamed-by-hand\n");
  });

  it("wires every reference by name", async () => {
    const { out } = await run(recordedState);
    const ids = [...manifestsIn(out)].flatMap(([key, spec]) =>
      idsIn({ ...spec, management: null }).map((id) => `${key}: ${id}`),
    );
    expect(ids).toEqual([]);
    expect(manifestsIn(out).get("Firewall/inner")).toMatchObject({ instanceRefs: [{ name: "bare" }] });
    expect(manifestsIn(out).get("ManagedMySQL/shop")).toMatchObject({ allowList: ["203.0.113.7/32"] });
  });

  it("gives the same bytes for the output of terraform show -json", async () => {
    const [state, shown] = [await run(recordedState), await run(recordedShow)];
    expect(shown.out).toBe(state.out);
    const plain = ({ err }: Ran) => err.replaceAll(/--token-file \S+/g, "").replaceAll("show.json", "state.json");
    expect(plain(shown)).toBe(plain(state));
  });

  it("prints the next steps in order, with blocks for whole resources and modules", async () => {
    const folder = join(folderOfTest(), "manifests");
    const { err } = await run(recordedState, "--folder", folder, "-n", "shop");
    const steps = err.slice(err.indexOf("Next steps:"));
    const order = [
      `1. Apply the manifests. With the policy Observe, the operator changes nothing:\n\n     kubectl -n shop apply -k ${folder}\n`,
      `2. Wait until no object is Drifted: the reason of every object is Observed:\n\n     kubectl -n shop get -k ${folder}\n`,
      "     removed {\n       from = linode_domain_record.host\n       lifecycle {\n         destroy = false\n       }\n     }\n",
      "     removed {\n       from = module.web\n",
      "4. Check that the plan has 0 to destroy.",
      "     terraform plan\n",
      "5. Switch to the policy Manage",
      ` --folder ${folder} --manage\n     kubectl -n shop apply -k ${folder}\n`,
    ].map((text) => steps.indexOf(text));
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(steps).not.toContain("terraform state rm");
    expect(steps).not.toContain("module.web.");
    const blocks = readFileSync(join(folder, "removed.tf"), "utf8");
    expect(blocks.match(/^removed \{$/gm)).toHaveLength(22);
    expect(readFileSync(join(folder, "kustomization.yaml"), "utf8")).not.toContain("removed.tf");
  });

  it("prints commands for single instances if others stay in Terraform", async () => {
    const address = 'linode_domain_record.host["api.v2"]';
    const { out, err } = await run(recordedState, "--target", address, "--target", 'module.web["blue"]');
    expect([...manifestsIn(out).keys()]).toEqual([
      "ComputeInstance/web-blue-node-a",
      "ComputeInstance/web-blue-node-b",
      "Domain/web-blue-this",
      "DomainRecord/host-api-v2",
      "DomainRecord/web-blue-node-a",
      "DomainRecord/web-blue-node-b",
    ]);
    expect(err).not.toContain("removed {");
    expect(err).toContain(`     terraform state rm '${address}'\n`);
    expect(err.match(/^ {5}terraform state rm '.+'$/gm)).toHaveLength(6);
    expect(manifestsIn(out).get("DomainRecord/host-api-v2")).toMatchObject({ domainRef: { id: "3" } });
  });
});

describe("import terraform, with a changed state", () => {
  /** Writes the recorded state after a change. */
  function changed(change: (state: State) => void): string {
    const state = JSON.parse(readFileSync(recordedState, "utf8")) as State;
    change(state);
    const file = join(folderOfTest(), "state.json");
    writeFileSync(file, JSON.stringify(state));
    return file;
  }

  const only =
    (...types: string[]) =>
    (state: State): void => {
      state.resources = state.resources.filter(({ type }) => types.includes(type));
    };

  it("reports a resource without a cloud object, imports the others, and exits with 1", async () => {
    const file = changed((state) => {
      only("linode_domain")(state);
      for (const { attributes } of state.resources.find(({ name }) => name === "zone")?.instances ?? [])
        attributes["id"] = "4711";
    });
    const { code, out, err } = await run(file);
    expect(code).toBe(1);
    expect(err).toContain("not imported: linode_domain.zone: the account has no such Domain. Run terraform plan\n");
    expect([...manifestsIn(out).keys()]).toEqual(["Domain/web-blue-this", "Domain/web-green-this"]);
    expect(err).not.toContain("from = linode_domain.zone");
  });

  it("reports a list that the token cannot read once, and the resources in it", async () => {
    simulator.control.addToken({ token: "domains", username: "demo", scopes: "domains:read_only" });
    const flags = accountFlags({ ...simulator, token: "domains" });
    const file = changed(only("linode_domain", "linode_sshkey", "linode_firewall"));
    const { code, out, err } = await runCli(["import", "terraform", file, ...flags, "--brand-word", brandWord]);
    expect(code).toBe(1);
    expect(manifestsIn(out).size).toBe(3);
    expect(err.match(/not imported: Firewall in .*Give a token with the scope/g)).toHaveLength(1);
    expect(err).toContain("not imported: linode_firewall.edge: its Firewall could not be read\n");
  });

  it("names one object for two resources with one cloud object, and numbers equal names", async () => {
    const file = changed((state) => {
      only("linode_sshkey", "linode_domain")(state);
      const key = state.resources.find(({ type }) => type === "linode_sshkey");
      if (key) state.resources.push({ ...key, name: "zz_again" });
      for (const one of state.resources.filter(({ module }) => module !== undefined))
        Object.assign(one, { name: "blue_this", module: "module.web" });
    });
    const { out, err } = await run(file);
    expect([...manifestsIn(out).keys()].filter((key) => !key.endsWith("zone"))).toEqual([
      "Domain/web-blue-this",
      "Domain/web-blue-this-2",
      "SSHKey/admin",
    ]);
    expect(err).toContain("5 of 5 resources imported as 4 objects\n");
  });

  it("refuses a former object that Terraform still deletes, in one sentence", async () => {
    const file = changed((state) => {
      for (const one of state.resources.flatMap(({ instances }) => instances)) one["deposed"] = "5f";
    });
    const { code, out, err } = await run(file, "--target", "linode_sshkey.admin");
    expect({ code, out, err }).toEqual({
      code: 1,
      out: "",
      err: "error: linode_sshkey.admin has a former object that Terraform still deletes. Run terraform apply first\n",
    });
  });

  it.each<[string, (state: State) => void, string]>([
    [
      "a type without a kind",
      (state) => {
        for (const one of state.resources) one.type = "linode_lke_cluster";
      },
      "stays in Terraform: linode_lke_cluster.admin: no kind manages this type",
    ],
    [
      "a kind without exports",
      (state) => {
        for (const one of state.resources) one.type = "linode_object_storage_object";
      },
      "stays in Terraform: linode_object_storage_object.admin: BucketObject: its content is data",
    ],
    [
      "a part of another cloud",
      (state) => {
        for (const one of state.resources) one.type = "tls_private_key";
      },
      "stays in Terraform: tls_private_key.admin: not a resource of this cloud",
    ],
    [
      "a device that is no instance",
      (state) => {
        for (const one of state.resources) {
          one.type = "linode_firewall_device";
          one.instances = [{ attributes: { id: "1", firewall_id: "1", entity_type: "nodebalancer" } }];
        }
      },
      "stays in Terraform: linode_firewall_device.admin: Firewall does not manage this value of entity_type",
    ],
    [
      "a resource without an ID",
      (state) => {
        for (const one of state.resources) one.instances = [{ attributes: {} }];
      },
      "stays in Terraform: linode_sshkey.admin: the state has no ID. Run terraform refresh",
    ],
  ])("leaves %s in Terraform", async (_, change, line) => {
    const file = changed((state) => {
      only("linode_sshkey")(state);
      change(state);
    });
    const { code, out, err } = await run(file);
    expect({ code, out }).toEqual({ code: 0, out: "" });
    expect(err).toContain(line);
    expect(err).not.toContain("Next steps");
  });

  it("says which address --target has wrong, and that a state is empty", async () => {
    const wrong = await run(recordedState, "--target", "linode_domain_record.ho");
    expect(wrong).toMatchObject({ code: 1, out: "" });
    expect(wrong.err).toContain(
      `--target: ${recordedState} has no resource linode_domain_record.ho. Run terraform state list`,
    );
    const empty = await run(changed((state) => void (state.resources = [])));
    expect(empty).toMatchObject({ code: 1, out: "" });
    expect(empty.err).toContain("has no resources. Check the workspace and the backend of Terraform");
  });
});

interface State {
  resources: { type: string; name: string; module?: string; instances: Instance[] }[];
}
type Instance = JsonObject & { attributes: JsonObject };

function idsIn(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (typeof value !== "object" || value === null) return [];
  const { id } = value;
  return [
    ...(typeof id === "string" ? [id] : []),
    ...Object.values(value).flatMap((one) => (one === undefined ? [] : idsIn(one))),
  ];
}
