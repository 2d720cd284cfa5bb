import { describe, expect, it } from "vitest";
import type { CommandDefinition } from "../../src/cli/command.ts";
import { commands } from "../../src/cli/program.ts";
import { journalAnnotation } from "../../src/core/kind/annotations.ts";
import { begin, changes, idOf, manage, minutes, paths, specs, stateOf, storeStatus } from "../core/support.ts";
import type { World } from "../world/world.ts";
import { runOn } from "./support/world-cluster.ts";

const yes = { options: { yes: true } } as const;

function command(name: string): CommandDefinition {
  return commands.find((one) => one.name === name)!;
}

function run(world: World, name: string, args: string[], options: Parameters<typeof runOn>[3] = yes) {
  return runOn(world, command(name), args, options);
}

/** A world with a ready SSHKey `laptop`. */
async function withKey(): Promise<World> {
  const world = await begin();
  world.cluster.create("SSHKey", "laptop", specs.SSHKey);
  await world.advance(10_000);
  expect(stateOf(world, "SSHKey", "laptop")).toBe("Ready");
  return world;
}

async function withPlan(): Promise<World> {
  const world = await withKey();
  world.cluster.patch("SSHKey", "laptop", { spec: { label: "renamed", management: { policy: "Plan" } } });
  await world.advance(10_000);
  expect(stateOf(world, "SSHKey", "laptop")).toBe("WaitingForApproval");
  return world;
}

/** A world whose ComputeInstance `web` got no response to its create request. */
async function withLostCreate(): Promise<World> {
  const world = await begin();
  world.cloud.fault({ kind: "lostBefore", method: "POST", path: /^\/compute\/instances$/ });
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(minutes(13));
  expect(stateOf(world, "ComputeInstance", "web")).toBe("CreateUncertain");
  return world;
}

describe("a verb", () => {
  it("refuses to change without a terminal, and names the option", async () => {
    const world = await withPlan();
    const { code, out, err } = await run(world, "approve", ["sshkey", "laptop"], {});
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain("Add --yes, or --dry-run");
  });

  it("asks on a terminal, and changes nothing after a no", async () => {
    const world = await withPlan();
    const before = world.cluster.get("SSHKey", "laptop");
    const asked: string[] = [];
    const answer = (question: string) => (asked.push(question), "no" as const);
    const { code, err } = await run(world, "approve", ["sshkey", "laptop"], { answer });
    expect(asked).toEqual(["Change SSHKey default/laptop?"]);
    expect(code).toBe(1);
    expect(err).toContain("Nothing was changed");
    expect(world.cluster.get("SSHKey", "laptop")).toEqual(before);
  });

  it("ends with 130 if the user interrupts the question", async () => {
    const world = await withPlan();
    const { code } = await run(world, "approve", ["sshkey/laptop"], { answer: () => "interrupted" });
    expect(code).toBe(130);
  });

  it("with --dry-run sends the change to the API server, which stores nothing", async () => {
    const world = await withPlan();
    const before = world.cluster.get("SSHKey", "laptop");
    const { code, out } = await run(world, "approve", ["sshkey", "laptop"], { options: { dryRun: true } });
    expect({ code, out }).toEqual({ code: 0, out: "sshkey.cloudplatform.dev/laptop approved (server dry run)\n" });
    expect(world.cluster.get("SSHKey", "laptop")).toEqual(before);
  });

  it("patches the version that the user has seen, and refuses if the object changed during the question", async () => {
    const world = await withPlan();
    const answer = async () => {
      world.cluster.patch("SSHKey", "laptop", { spec: { label: "changed-meanwhile" } });
      await world.advance(10_000);
      return "yes" as const;
    };
    const { code, err } = await run(world, "approve", ["sshkey", "laptop"], { answer });
    expect(code).toBe(1);
    expect(err).toContain("another client changed SSHKey default/laptop");
    await world.advance(60_000);
    expect(world.cloud.rows(paths.SSHKey)).toMatchObject([{ label: "laptop" }]);
  });

  it("patches a newer version if the effect is the same", async () => {
    const world = await withPlan();
    const answer = () => {
      world.cluster.patch("SSHKey", "laptop", { metadata: { labels: { note: "of another user" } } });
      return "yes" as const;
    };
    expect((await run(world, "approve", ["sshkey", "laptop"], { answer })).code).toBe(0);
    await world.advance(10_000);
    expect(world.cloud.rows(paths.SSHKey)).toMatchObject([{ label: "renamed" }]);
  });

  it.each([
    [["nonsense", "a"], "no kind has the name nonsense. Use one of: AccessPolicy"],
    [["sshkey", "absent"], "SSHKey absent does not exist in namespace default. Check -n"],
    [["sshkey"], "name one object, such as"],
    [["sshkey/a", "b"], "name one object, such as"],
  ])("refuses the arguments %j", async (args, message) => {
    const { code, err } = await run(await withKey(), "pause", args);
    expect(code).toBe(1);
    expect(err).toContain(message);
  });
});

describe("approve", () => {
  it("shows the requests of the plan, and the operator then runs the plan once", async () => {
    const world = await withPlan();
    const { code, out, err } = await run(world, "approve", ["sshkey", "laptop"]);
    expect({ code, out }).toEqual({ code: 0, out: "sshkey.cloudplatform.dev/laptop approved\n" });
    expect(err).toMatch(/PUT \/profile\/sshkeys\/\d+: label: "laptop" → "renamed"/);
    const since = world.cloud.ledger().length;
    await world.advance(60_000);
    expect(changes(world, since)).toHaveLength(1);
    const again = await run(world, "approve", ["sshkey", "laptop"]);
    expect(again.err).toBe("error: SSHKey default/laptop has no plan, so there is nothing to approve (Ready)\n");
  });

  it("refuses a plan that is approved already", async () => {
    const world = await withPlan();
    world.crash();
    await run(world, "approve", ["sshkey", "laptop"]);
    expect((await run(world, "approve", ["sshkey", "laptop"])).err).toContain("is already approved");
  });

  it("refuses the plan of an earlier generation", async () => {
    const world = await withPlan();
    world.crash();
    world.cluster.patch("SSHKey", "laptop", { spec: { label: "newer" } });
    const { err } = await run(world, "approve", ["sshkey", "laptop"]);
    expect(err).toContain("the operator has not planned the last change of SSHKey default/laptop yet");
  });

  it("refuses the plan of a read-only operator", async () => {
    const world = await begin({ readOnly: true });
    world.cluster.create("SSHKey", "laptop", specs.SSHKey);
    await world.advance(10_000);
    expect((await run(world, "approve", ["sshkey", "laptop"])).err).toContain("read-only and accepts no approval");
  });

  it("refuses a plan whose requests the operator never sends", async () => {
    const world = await begin();
    world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
    await world.advance(minutes(3));
    const spec = { type: "g6-standard-2", management: { policy: "Plan" } };
    world.cluster.patch("ComputeInstance", "web", { spec });
    await world.advance(60_000);
    expect((await run(world, "approve", ["computeinstance", "web"])).err).toContain(
      "spec.allowDisruption lacks Resize",
    );
  });
});

describe("retry", () => {
  it("permits one more create request, and names the attempt", async () => {
    const world = await withLostCreate();
    const { code, err, out } = await run(world, "retry", ["computeinstance", "web"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^computeinstance\.cloudplatform\.dev\/web retry [0-9a-f]{8} permitted\n$/);
    expect(err).toMatch(/instead of attempt [0-9a-f]{8} of 20.* an instance too many, and both cost money/);
    await world.advance(minutes(3));
    expect(stateOf(world, "ComputeInstance", "web")).toBe("Ready");
    expect(world.cloud.rows(paths.ComputeInstance)).toHaveLength(1);
  });

  it("names the attempt of an object whose record was removed", async () => {
    const world = await withKey();
    const id = idOf(world, "SSHKey", "laptop");
    world.crash();
    world.cluster.annotate("SSHKey", "laptop", { [journalAnnotation]: null });
    storeStatus(world, "SSHKey", "laptop", { record: null, id: null });
    world.cloud.remove(paths.SSHKey, id);
    world.restart();
    await world.advance(minutes(3));
    expect(stateOf(world, "SSHKey", "laptop")).toBe("CreateUncertain");
    expect((await run(world, "retry", ["sshkey", "laptop"])).code).toBe(0);
    await world.advance(minutes(3));
    expect(stateOf(world, "SSHKey", "laptop")).toBe("Ready");
  });

  it("refuses an object that waits for no permission", async () => {
    const { code, err } = await run(await withKey(), "retry", ["sshkey", "laptop"]);
    expect(code).toBe(1);
    expect(err).toBe("error: SSHKey default/laptop waits for no retry (Ready), so there is nothing to permit\n");
  });
});

describe("pause and resume", () => {
  it.each(["Manage", "Observe", "Plan"])("restore the policy %s", async (policy) => {
    const world = await withKey();
    manage(world, "SSHKey", "laptop", { policy });
    const { err } = await run(world, "pause", ["sshkey", "laptop"]);
    expect(err).toContain(`policy ${policy} → Paused`);
    expect(world.cluster.get("SSHKey", "laptop")?.spec).toMatchObject({ management: { policy: "Paused" } });
    expect((await run(world, "pause", ["sshkey", "laptop"])).err).toContain("is already paused");
    expect((await run(world, "resume", ["sshkey", "laptop"])).err).toContain(`policy Paused → ${policy}`);
    const { management } = world.cluster.get("SSHKey", "laptop")!.spec as { management?: { policy?: string } };
    expect(management?.policy ?? "Manage").toBe(policy);
    expect((await run(world, "resume", ["sshkey", "laptop"])).err).toContain(`is not paused: its policy is ${policy}`);
  });

  it("pause stops the operator, and resume --policy continues as the user says", async () => {
    const world = await withKey();
    await run(world, "pause", ["sshkey", "laptop"]);
    world.cluster.patch("SSHKey", "laptop", { spec: { label: "renamed" } });
    await world.advance(60_000);
    expect(world.cloud.rows(paths.SSHKey)).toMatchObject([{ label: "laptop" }]);
    await run(world, "resume", ["sshkey", "laptop"], { options: { yes: true, policy: "Plan" } });
    await world.advance(60_000);
    expect(stateOf(world, "SSHKey", "laptop")).toBe("WaitingForApproval");
  });

  it("resume of an object in deletion says what the operator then deletes, and how to keep it", async () => {
    const world = await begin();
    world.cluster.create("Domain", "zone", specs.Domain);
    await world.advance(60_000);
    const id = idOf(world, "Domain", "zone");
    await run(world, "pause", ["domain", "zone"]);
    world.cluster.delete("Domain", "zone");
    await world.advance(60_000);
    const dryRun = (policy: string) =>
      run(world, "resume", ["domain", "zone"], { options: { dryRun: true, policy } }).then(({ err }) => err);
    const manage = await dryRun("Manage");
    expect(manage).toContain(
      `Domain default/zone is in deletion: the operator then deletes domain ${id} in the cloud: the zone with all its records.`,
    );
    expect(manage).toContain("To keep it, run this first: kubectl cloudplatform orphan domain zone -n default");
    expect(manage).not.toContain("match the spec");
    expect(await dryRun("Plan")).toContain(`waits for an approval. The approval deletes domain ${id} in the cloud`);
    expect(await dryRun("Observe")).toContain(`Domain ${id} stays in the cloud`);
    await run(world, "orphan", ["domain", "zone"]);
    expect(await dryRun("Manage")).toContain(`Domain ${id} stays in the cloud`);
    await run(world, "resume", ["domain", "zone"]);
    await world.advance(60_000);
    expect(world.cluster.get("Domain", "zone")).toBeUndefined();
    expect(world.cloud.rows(paths.Domain)).toHaveLength(1);
  });

  it("refuse a CloudAccount", async () => {
    expect((await run(await withKey(), "pause", ["cloudaccount", "default"])).err).toContain(
      "CloudAccount has no policy",
    );
  });
});

describe("adopt", () => {
  async function withConflict(): Promise<{ world: World; id: string }> {
    const world = await begin();
    const { id } = world.cloud.add(paths.SSHKey, { label: "laptop", ssh_key: specs.SSHKey.sshKey });
    world.cluster.create("SSHKey", "laptop", specs.SSHKey);
    await world.advance(10_000);
    expect(stateOf(world, "SSHKey", "laptop")).toBe("Conflict");
    return { world, id };
  }

  it.each([true, false])("takes over the cloud object of the conflict; ID among the arguments: %s", async (isGiven) => {
    const { world, id } = await withConflict();
    const { code, err } = await run(world, "adopt", ["sshkey", "laptop", ...(isGiven ? [id] : [])]);
    expect(code).toBe(0);
    expect(err).toContain(`takes over SSH key ${id} of the cloud`);
    await world.advance(60_000);
    expect(stateOf(world, "SSHKey", "laptop")).toBe("Ready");
    expect(idOf(world, "SSHKey", "laptop")).toBe(id);
    expect((await run(world, "adopt", ["sshkey", "laptop", "99"])).err).toContain(`already manages SSH key ${id}`);
  });

  it("refuses a cloud object that another object manages", async () => {
    const world = await withKey();
    const id = idOf(world, "SSHKey", "laptop");
    world.cluster.create("SSHKey", "second", { ...specs.SSHKey, label: "laptop" });
    await world.advance(10_000);
    const { err } = await run(world, "adopt", ["sshkey", "second", id]);
    expect(err).toContain(`SSHKey default/laptop already manages SSH key ${id}`);
  });

  it("refuses a kind without adoption, and an unknown ID", async () => {
    const world = await begin();
    world.cluster.create("Profile", "me", {});
    expect((await run(world, "adopt", ["profile", "me", "1"])).err).toContain("Profile adopts nothing");
    world.cluster.create("SSHKey", "fresh", specs.SSHKey);
    expect((await run(world, "adopt", ["sshkey", "fresh"])).err).toContain("name the ID of the SSH key");
  });
});

describe("orphan", () => {
  it("names what stays, and the cloud object stays after the deletion", async () => {
    const world = await withKey();
    const id = idOf(world, "SSHKey", "laptop");
    const { err } = await run(world, "orphan", ["sshkey", "laptop"]);
    expect(err).toContain(`SSH key ${id} stays in the cloud`);
    expect(err).toContain("kubectl delete sshkey laptop -n default");
    expect((await run(world, "orphan", ["sshkey", "laptop"])).err).toContain("is already marked");
    world.cluster.delete("SSHKey", "laptop");
    await world.advance(10_000);
    expect(world.cluster.get("SSHKey", "laptop")).toBeUndefined();
    expect(world.cloud.rows(paths.SSHKey)).toHaveLength(1);
  });

  it("says that a paused object in deletion waits for resume", async () => {
    const world = await withKey();
    await run(world, "pause", ["sshkey", "laptop"]);
    world.cluster.delete("SSHKey", "laptop");
    await world.advance(10_000);
    const { err } = await run(world, "orphan", ["sshkey", "laptop"]);
    expect(err).toContain("The object is paused, so nothing happens until resume");
    expect(err).not.toContain("now");
    await world.advance(60_000);
    expect(world.cluster.get("SSHKey", "laptop")).toBeDefined();
  });

  it("--off lets a deletion delete the cloud object again", async () => {
    const world = await withKey();
    const off = { options: { yes: true, off: true } } as const;
    expect((await run(world, "orphan", ["sshkey", "laptop"], off)).err).toContain("is not orphaned");
    await run(world, "orphan", ["sshkey", "laptop"]);
    expect((await run(world, "orphan", ["sshkey", "laptop"], off)).code).toBe(0);
    world.cluster.delete("SSHKey", "laptop");
    await world.advance(10_000);
    expect(world.cloud.rows(paths.SSHKey)).toEqual([]);
  });

  it("warns that a contained cloud object does not survive its parent", async () => {
    const world = await begin();
    world.cluster.create("Domain", "zone", specs.Domain);
    world.cluster.create("DomainRecord", "www", {
      domainRef: { name: "zone" },
      type: "A",
      name: "www",
      target: "192.0.2.1",
    });
    await world.advance(60_000);
    const { err } = await run(world, "orphan", ["domainrecord", "www"]);
    expect(err).toContain("If Domain is deleted, the cloud deletes it all the same");
  });

  it("refuses an object without a cloud object", async () => {
    const world = await begin({ start: false });
    world.cluster.create("SSHKey", "laptop", specs.SSHKey);
    expect((await run(world, "orphan", ["sshkey", "laptop"])).err).toContain("has no cloud object");
  });
});

describe("protect", () => {
  it("sets and removes the protection, and refuses to repeat itself", async () => {
    const world = await withKey();
    const off = { options: { yes: true, off: true } } as const;
    expect((await run(world, "protect", ["sshkey", "laptop"])).out).toBe("sshkey.cloudplatform.dev/laptop protected\n");
    expect((await run(world, "protect", ["sshkey", "laptop"])).err).toContain(
      "already has spec.management.protect: true",
    );
    expect(world.cluster.get("SSHKey", "laptop")?.spec).toMatchObject({ management: { protect: true } });
    expect((await run(world, "protect", ["sshkey", "laptop"], off)).code).toBe(0);
    expect(world.cluster.get("SSHKey", "laptop")?.spec).toMatchObject({ management: { protect: false } });
  });

  it("refuses an object in deletion", async () => {
    const world = await withKey();
    manage(world, "SSHKey", "laptop", { policy: "Paused" });
    world.cluster.delete("SSHKey", "laptop");
    expect((await run(world, "protect", ["sshkey", "laptop"])).err).toContain("Use orphan to keep the cloud object");
  });
});
