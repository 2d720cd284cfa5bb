import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { stringify } from "yaml";
import { startSimulator } from "../../src/simulator/simulator.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { accountFlags, folderOfTest, runCli } from "./run.ts";

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
  await fetch(`${simulator.url}/v4/domains`, {
    method: "POST",
    headers: { authorization: `Bearer ${simulator.token}`, "content-type": "application/json" },
    body: JSON.stringify({ domain: "example.org", type: "master", soa_email: "ada@example.org" }),
  });
});
afterAll(() => simulator.close());

/** Writes manifests into a folder, one file for each object. */
function manifests(...objects: { kind: string; name: string; spec: object }[]): string {
  const folder = folderOfTest();
  mkdirSync(join(folder, "area"));
  for (const { kind, name, spec } of objects) {
    const object = { apiVersion: "cloudplatform.dev/v1alpha1", kind, metadata: { name }, spec };
    writeFileSync(join(folder, "area", `${name}.yaml`), stringify(object));
  }
  return folder;
}

const domain = { domain: "example.org", type: "master", soaEmail: "ada@example.org" };
const adopted = { ...domain, management: { adopt: { filter: { domain: "example.org" }, overwrite: true } } };
const instance = { region: "us-east", type: "g6-standard-1", label: "web" };

const plan = (...args: string[]) => runCli(["plan", ...args, ...accountFlags(simulator)]);

describe("plan without a cluster", () => {
  it("exits with 0 if no request is necessary", async () => {
    const { code, out } = await plan("-f", manifests({ kind: "Domain", name: "own", spec: adopted }));
    expect([code, out]).toEqual([0, expect.stringContaining("0 to create, 0 to change")]);
  });

  it("exits with 2 for requests, and prints them", async () => {
    const { code, out } = await plan("-f", manifests({ kind: "ComputeInstance", name: "web", spec: instance }));
    expect(code).toBe(2);
    expect(out).toContain("+ ComputeInstance default/web");
  });

  it("exits with 1 for a manifest that the API server refuses, and names the file", async () => {
    const folder = manifests({ kind: "Domain", name: "bad", spec: { ...domain, type: "other" } });
    const { code, out } = await plan("-f", folder);
    expect(code).toBe(1);
    expect(out).toContain(`${join(folder, "area", "bad.yaml")}: Domain default/bad: spec.type: Unsupported value`);
  });

  it("exits with 3 if a condition of --fail-on matches", async () => {
    const folder = manifests({ kind: "ComputeInstance", name: "web", spec: instance });
    expect((await plan("-f", folder, "--fail-on", "cost>1")).code).toBe(3);
    expect((await plan("-f", folder, "--fail-on", "deletion")).code).toBe(2);
  });

  it("prints JSON with the version of the form", async () => {
    const { out } = await plan("-f", manifests({ kind: "ComputeInstance", name: "web", spec: instance }), "-o", "json");
    expect(JSON.parse(out)).toMatchObject({ version: 1, counts: { create: 1 }, complete: true });
  });

  it("sends no request that changes the account", async () => {
    const before = simulator.control.ledger({ mutating: true }).length;
    await plan("-f", manifests({ kind: "ComputeInstance", name: "web", spec: instance }));
    expect(simulator.control.ledger({ mutating: true })).toHaveLength(before);
  });

  describe("exits with 1 and prints no plan", () => {
    const web = () => manifests({ kind: "ComputeInstance", name: "web", spec: instance });

    it("if the cloud refuses the token", async () => {
      const flags = accountFlags({ ...simulator, token: "unknown" });
      const { code, out, err } = await runCli(["plan", "-f", web(), ...flags]);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(/401.*Give a valid token\n$/);
    });

    it("if the endpoint does not answer", async () => {
      const flags = accountFlags({ ...simulator, url: "http://127.0.0.1:1" });
      const { code, out, err } = await runCli(["plan", "-f", web(), ...flags]);
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toMatch(/Check --endpoint and the network\n$/);
    });

    it.each([
      ["the list of the kind", "/compute/instances", { kind: "ComputeInstance", name: "web", spec: instance }],
      [
        "the list that a reference needs",
        "/domains",
        { kind: "DomainRecord", name: "r", spec: { domainRef: { name: "d" } } },
      ],
    ])("if %s cannot be read", async (_, path, manifest) => {
      simulator.control.faults.add({ kind: "status", status: 403, path });
      onTestFinished(() => simulator.control.faults.clear());
      const { code, out, err } = await plan("-f", manifests(manifest));
      expect({ code, out }).toEqual({ code: 1, out: "" });
      expect(err).toContain(`the manifests need lists that cannot be read: ${path} (`);
    });
  });

  it("names a list that no manifest needs and that cannot be read", async () => {
    simulator.control.faults.add({ kind: "status", status: 403, path: "/domains" });
    onTestFinished(() => simulator.control.faults.clear());
    const { code, out } = await plan("-f", manifests({ kind: "ComputeInstance", name: "web", spec: instance }));
    expect([code, out]).toEqual([2, expect.stringContaining("/domains is not readable")]);
  });

  it.each([
    [[], "plan needs manifests"],
    [["-f", "/nonexistent"], "/nonexistent cannot be read"],
    [["-f", ".", "--fail-on", "everything"], "disruption, deletion and cost>N"],
  ])("%j is an error with the next step", async (args, told) => {
    const { code, err } = await plan(...args);
    expect([code, err]).toEqual([1, expect.stringContaining(told)]);
  });
});
