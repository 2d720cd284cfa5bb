import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startSimulator } from "../../src/simulator/simulator.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";
import { callerOf, furnishAccount } from "./furnished.ts";
import { accountFlags, folderOfTest, runCli } from "./run.ts";

let simulator: Simulator;
let furnishing: Promise<void> | undefined;

beforeAll(async () => {
  simulator = await startSimulator({ timeScale: 6000 });
});
afterAll(() => simulator.close());

/** Exports the account into a folder, and returns the folder. */
async function exportedFolder(...args: string[]): Promise<string> {
  await (furnishing ??= furnishAccount(simulator));
  const folder = join(folderOfTest(), "manifests");
  mkdirSync(folder);
  const { code, err } = await runCli(["export", "--all", ...args, "--folder", folder, ...accountFlags(simulator)]);
  expect(code, err).toBe(0);
  return folder;
}

async function diffOf(path: string, ...args: string[]) {
  return runCli(["diff", "-f", path, ...args, ...accountFlags(simulator)]);
}

function manifest(kind: string, name: string, spec: object): string {
  const file = join(folderOfTest(), "manifest.json");
  writeFileSync(file, JSON.stringify({ apiVersion: "cloudplatform.dev/v1alpha1", kind, metadata: { name }, spec }));
  return file;
}

describe("diff", () => {
  it.each([[[]], [["--full"]]])(
    "finds no difference in an export %j",
    async (args) => {
      const { code, out, err } = await diffOf(await exportedFolder(...args));
      expect({ code, out }, err).toEqual({ code: 0, out: "" });
      expect(err).toMatch(/^not compared: BucketCertificate plain-ssl: /);
      expect(err.trim().split("\n")).toHaveLength(1);
    },
    60_000,
  );

  it("shows each changed field with both values, and exits with 2", async () => {
    const folder = await exportedFolder();
    const call = callerOf(simulator);
    await call("PUT", "/domains/1", { soa_email: "new@example.org" });
    await call("PUT", "/networking/firewalls/1/rules", {
      inbound: [],
      inbound_policy: "ACCEPT",
      outbound: [],
      outbound_policy: "ACCEPT",
    });
    await call("PUT", "/compute/instances/1001", { tags: ["other"] });
    const { code, out } = await diffOf(folder);
    expect(code).toBe(2);
    expect(out).toMatch(/Domain example-org +1 +spec\.soaEmail +new@example\.org +admin@example\.org/);
    expect(out).toMatch(/Firewall edge-fw +1 +spec\.inboundPolicy +ACCEPT +DROP/);
    expect(out).toMatch(/Firewall edge-fw +1 +spec\.inbound +\[\]/);
    expect(out).toMatch(/ComputeInstance web +1001 +spec\.tags +\["other"\] +\["Straße 1","prod"\]/);
    expect(out.trim().split("\n")).toHaveLength(5);
    const { out: json } = await diffOf(folder, "-o", "json");
    expect((JSON.parse(json) as { items: object[] }).items).toContainEqual(
      expect.objectContaining({ kind: "Domain", field: "spec.soaEmail", cloud: "new@example.org" }),
    );
  });

  it("finds a cloud object by its natural key", async () => {
    await exportedFolder();
    const { code, out } = await diffOf(
      manifest("Domain", "any", { domain: "example.org", type: "master", soaEmail: "x@example.org" }),
    );
    expect(code).toBe(2);
    expect(out).toContain("spec.soaEmail");
  });

  it("reports a manifest without a cloud object as a difference", async () => {
    const { code, out } = await diffOf(
      manifest("Domain", "none", { domain: "none.example", type: "master", soaEmail: "x@y.example" }),
    );
    expect(code).toBe(2);
    expect(out).toContain("no such cloud object");
  });

  it.each([
    [
      "an invalid spec",
      () => manifest("Domain", "d", { domain: "example.org" }),
      /Domain d: spec\.type: Invalid option/,
    ],
    [
      "a reference to an unknown object",
      () => manifest("ComputeDisk", "d", { instanceRef: { name: "nowhere" }, sizeMB: 100 }),
      /refers to ComputeInstance nowhere, which is not in the files and has no cloud object. Add its manifest with -f/,
    ],
    ["a missing file", () => "/nowhere", /\/nowhere cannot be read \(ENOENT\). Correct -f/],
  ])("with %s exits with 1", async (_, file, message) => {
    const { code, err } = await diffOf(file());
    expect(code).toBe(1);
    expect(err).toMatch(message);
  });

  it("exits with 1 if a list cannot be read, and sends no request that changes the account", async () => {
    const mark = simulator.control.ledger().at(-1)?.id ?? 0;
    simulator.control.faults.add({ kind: "status", status: 403, path: "/domains" });
    onTestFinished(() => simulator.control.faults.clear());
    const { code, err } = await diffOf(
      manifest("Domain", "d", { domain: "example.org", type: "master", soaEmail: "a@b.example" }),
    );
    expect(code).toBe(1);
    expect(err).toContain("scope or the grant");
    expect(simulator.control.ledger({ mutating: true, sinceId: mark })).toEqual([]);
  });
});
