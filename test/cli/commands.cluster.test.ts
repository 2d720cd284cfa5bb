/** The commands on a real API server, with an operator and a simulator. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect } from "vitest";
import type { ContractWorld } from "../contract/support/contract-test.ts";
import { contractTest, secrets } from "../contract/support/contract-test.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { runCli } from "./run.ts";
import type { Ran } from "./run.ts";

const timeout = { timeout: 120_000 };
const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";

const folder = mkdtempSync(join(tmpdir(), "cli-"));
const kubeconfig = join(folder, "kubeconfig");

beforeAll(() => writeFileSync(kubeconfig, sharedControlPlane().kubeconfig));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the program in the namespace of the world. */
function cli({ namespace }: ContractWorld, ...args: string[]): Promise<Ran> {
  return runCli([...args, "--kubeconfig", kubeconfig, "-n", namespace]);
}

async function storeToken(world: ContractWorld, token: string): Promise<void> {
  const ref = { namespace: world.namespace, name: "cloud-token" };
  await world.kube.patch(secrets, ref, { stringData: { token } });
}

describe.concurrent("on a real control plane", () => {
  contractTest("approve runs a plan once, and --dry-run stores nothing", timeout, async ({ world }) => {
    await world.apply(world.object("SSHKey", "laptop", { sshKey: publicKey, management: { policy: "Plan" } }));
    await world.condition("SSHKey", "laptop", "Reconciling", "WaitingForApproval");
    const dry = await cli(world, "approve", "sshkey", "laptop", "--dry-run");
    expect(dry).toMatchObject({ code: 0, out: "sshkey.cloudplatform.dev/laptop approved (server dry run)\n" });
    expect((await world.get("SSHKey", "laptop"))?.metadata.annotations?.["cloudplatform.dev/approve"]).toBeUndefined();
    const refused = await cli(world, "approve", "sshkey", "laptop");
    expect(refused).toMatchObject({ code: 1, out: "" });
    expect(refused.err).toContain("POST /profile/sshkeys");
    expect((await cli(world, "approve", "sshkey", "laptop", "--yes")).code).toBe(0);
    await world.ready("SSHKey", "laptop");
    expect((await cli(world, "approve", "sshkey", "laptop", "--yes")).err).toContain("there is nothing to approve");
  });

  contractTest("retry permits the create request after a lost one", timeout, async ({ world }) => {
    world.simulator.control.faults.add({ kind: "reset-before", method: "POST", path: "/compute/instances", times: 1 });
    await world.apply(world.object("ComputeInstance", "web", { region: "us-east", type: "g6-nanode-1" }));
    await world.condition("ComputeInstance", "web", "Stalled", "CreateUncertain");
    const { code, out } = await cli(world, "retry", "computeinstance", "web", "--yes");
    expect(code).toBe(0);
    expect(out).toMatch(/^computeinstance\.cloudplatform\.dev\/web retry \w+ permitted\n$/);
    await world.ready("ComputeInstance", "web");
  });

  contractTest("pause, resume, protect and orphan work through admission policies", timeout, async ({ world }) => {
    await world.apply(world.object("SSHKey", "laptop", { sshKey: publicKey }));
    await world.ready("SSHKey", "laptop");
    for (const verb of ["pause", "resume", "protect", "orphan"]) {
      const { code, err } = await cli(world, verb, "sshkey/laptop", "--yes");
      expect(code, err).toBe(0);
    }
    const { spec, metadata } = (await world.get("SSHKey", "laptop"))!;
    expect(spec).toMatchObject({ management: { protect: true } });
    expect(metadata.annotations).toMatchObject({ "cloudplatform.dev/orphan": "true" });
    expect(metadata.annotations).not.toHaveProperty("cloudplatform.dev/paused-from");
  });

  contractTest("why follows a chain of three objects to the root cause, with events", timeout, async ({ world }) => {
    await world.apply(
      world.object("ComputeDisk", "data", { instanceRef: { name: "machine" }, sizeMB: 1024 }),
      world.object("Image", "golden", { source: { diskRef: { name: "data" } } }),
    );
    await world.condition("Image", "golden", "Reconciling", "WaitingForReference");
    await world.condition("ComputeDisk", "data", "Reconciling", "WaitingForReference");
    const show = () => cli(world, "why", "image", "golden");
    await expect.poll(async () => (await show()).out).toContain("Last changes:");
    const { code, out } = await show();
    const { namespace } = world;
    expect(code).toBe(0);
    expect(out).toContain(`because ComputeDisk ${namespace}/data: WaitingForReference`);
    expect(out).toContain(
      `Cause: ComputeInstance ${namespace}/machine: ComputeInstance machine does not exist in namespace ${namespace}`,
    );
    await world.apply(world.object("ComputeInstance", "machine", { region: "us-east", type: "g6-nanode-1" }));
    await world.ready("Image", "golden");
    expect((await show()).out).toContain(`Image ${namespace}/golden is Ready`);
  });

  contractTest("why asks the cloud API if a request got no response", timeout, async ({ world }) => {
    world.simulator.control.faults.add({ kind: "reset-before", method: "GET", path: "/domains", times: 1_000 });
    await world.apply(
      world.object("Domain", "zone", { domain: "example.org", type: "master", soaEmail: "a@example.org" }),
    );
    await expect.poll(async () => (await cli(world, "why", "domain/zone")).out).toContain("the cloud API answers now");
  });

  contractTest("tree shows unmanaged cloud objects of the account", timeout, async ({ world }) => {
    await world.apply(world.object("SSHKey", "laptop", { sshKey: publicKey }));
    await world.ready("SSHKey", "laptop");
    const { code, out, err } = await cli(world, "tree");
    expect(code, err).toBe(0);
    expect(out).toContain(`─ SSHKey ${world.namespace}/laptop  Ready`);
    expect(out).toMatch(/─ \w+ \S+.*  not managed/);
    const namesOfKeys = out.split("\n").filter((line) => line.includes("sshKeys"));
    expect(namesOfKeys.filter((line) => line.includes("laptop"))).toEqual([]);
  });
});

describe("doctor", () => {
  contractTest("finds nothing wrong in a complete installation", timeout, async ({ world }) => {
    await world.restartOperator({ leaderElection: { namespace: world.namespace, name: "operator" } });
    const { code, out } = await cli(world, "doctor");
    expect(out).not.toMatch(/^wrong/m);
    expect(code).toBe(0);
    for (const check of ["cluster", "definitions", "leader", "account", "token", "clock", "brand word", "scopes"])
      expect(out).toMatch(new RegExp(`^ok +${check} `, "m"));
  });

  contractTest(
    "with a rejected token names the Secret and the cure, and never the token",
    timeout,
    async ({ world }) => {
      await storeToken(world, "canary-of-a-wrong-token");
      await world.condition("CloudAccount", "default", "Stalled", "TokenRejected");
      const { code, out, err } = await cli(world, "doctor");
      expect(code).toBe(1);
      expect(out).toMatch(
        /^wrong +account +the cloud API rejects the token under the key token of Secret cloud-token/m,
      );
      expect(out).toMatch(/^wrong +token +the cloud API rejects the token/m);
      expect(out).toContain("Store a valid token");
      expect(out + err).not.toContain("canary");
    },
  );

  contractTest("names lists that the token may not read", timeout, async ({ world }) => {
    world.simulator.control.addToken({
      token: "limited",
      username: "demo",
      scopes: "account:read_only compute:read_only",
    });
    await storeToken(world, "limited");
    const { code, out } = await cli(world, "doctor");
    expect(code).toBe(1);
    expect(out).toMatch(/^wrong +scopes +the token of CloudAccount \S+ may not read: .*domains/m);
  });
});
