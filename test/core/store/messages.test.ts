/** What conditions and events say, so that people know what is waited for, until when, and what they can do. */
import { describe, expect, it } from "vitest";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { madeMs, manage, messageOf, paths, specs, stateOf } from "../support.ts";

const minute = 60_000;

const said = (world: World, kind: string, name: string): string =>
  `${stateOf(world, kind, name)}: ${messageOf(world, kind, name)}`;

function reasonOf({ cluster }: World, kind: string, name: string, type = "Ready"): string | undefined {
  return conditionOf(cluster.get(kind, name), type)?.reason;
}

/** A world with a ready instance. */
async function withInstance(spec: object = {}): Promise<World> {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "web", { ...specs.ComputeInstance, ...spec });
  await world.advance(madeMs);
  expect(world.cluster.get("ComputeInstance", "web")).toBeReady();
  return world;
}

describe("what got no response is waited for until", () => {
  it("a minute that the condition of a creation names, which stays the same", async () => {
    const world = createWorld();
    world.cloud.fault({ kind: "lostBefore", method: "POST", path: /instances$/ });
    world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
    await world.advance(minute);
    const before = said(world, "ComputeInstance", "web");
    expect(before).toMatch(
      /^Creating: The create request got no .*\. The operator searches for the new instance, until \d\d:\d\d UTC at the latest$/,
    );
    await world.advance(5 * minute);
    expect(said(world, "ComputeInstance", "web")).toBe(before);
  });

  it("…and that of an operation", async () => {
    const world = await withInstance({ allowDisruption: ["Resize"] });
    world.cloud.fault({ kind: "lostBefore", method: "POST", path: /resize$/ });
    world.cluster.patch("ComputeInstance", "web", { spec: { type: "g6-standard-2" } });
    await world.advance(minute);
    const before = said(world, "ComputeInstance", "web");
    expect(before).toMatch(/^Updating: Resize was sent\. .*, until \d\d:\d\d UTC at the latest$/);
    await world.advance(5 * minute);
    expect(said(world, "ComputeInstance", "web")).toBe(before);
  });
});

it("what differs and is not changed is Drifted, and so again as specified", async () => {
  const world = await withInstance();
  manage(world, "ComputeInstance", "web", { driftPolicy: "Report" });
  await world.advance(minute);
  for (const row of world.cloud.rows(paths.ComputeInstance)) row["label"] = "another";
  await world.advance(5 * minute);
  expect(reasonOf(world, "ComputeInstance", "web")).toBe("Drifted");
  expect(said(world, "ComputeInstance", "web")).toMatch(
    /^Ready: Instance \d+ \(another\) differs from the spec\. The operator does not change it\. Read/,
  );
  manage(world, "ComputeInstance", "web", { driftPolicy: "Correct" });
  await world.advance(5 * minute);
  expect(reasonOf(world, "ComputeInstance", "web")).toBe("Ready");
});

it("an id to adopt that comes too late is said not to be used", async () => {
  const world = await withInstance();
  manage(world, "ComputeInstance", "web", { adopt: { id: "77" } });
  await world.advance(minute);
  expect(said(world, "ComputeInstance", "web")).toMatch(/is as specified\. spec\.management\.adopt\.id names 77/);
});

it("a deletion that the policy Paused holds up says so", async () => {
  const world = await withInstance();
  manage(world, "ComputeInstance", "web", { policy: "Paused" });
  await world.advance(minute);
  world.cluster.delete("ComputeInstance", "web");
  await world.advance(minute);
  expect(said(world, "ComputeInstance", "web")).toMatch(
    /^Paused: spec\.management\.policy is Paused\. .* set the policy to Manage/,
  );
});

it("a deletion that was held up says when it is not any more", async () => {
  const world = await withInstance();
  world.cluster.create("Firewall", "wall", { ...specs.Firewall, instanceRefs: [{ name: "web" }] });
  await world.advance(2 * minute);
  world.cluster.delete("ComputeInstance", "web");
  await world.advance(minute);
  expect(said(world, "ComputeInstance", "web")).toMatch(
    /^WaitingForDependents: This object is still referred to by Firewall wall/,
  );
  const states = new Set<string>();
  // Answered by something between here and the cloud: the instance is still there.
  world.cloud.fault({ kind: "empty", method: "DELETE", path: /instances/ });
  world.cluster.delete("Firewall", "wall");
  // For two seconds, another Firewall can take the instance over.
  await world.advance(3_000);
  for (let step = 0; step < 200; step += 1) {
    await world.advance(100);
    states.add(stateOf(world, "ComputeInstance", "web") ?? "gone");
  }
  expect([...states]).toEqual(["Deleting"]);
});

it("who waits for what a person must mend says where to look", async () => {
  const world = createWorld();
  world.cloud.add(paths.Domain, { domain: "example.org", type: "master", status: "active" });
  world.cluster.create("Domain", "zone", specs.Domain);
  world.cluster.create("DomainRecord", "www", { domainRef: { name: "zone" }, type: "A", target: "192.0.2.1" });
  await world.advance(5 * minute);
  expect(said(world, "Domain", "zone")).toMatch(
    /^Conflict: .* Otherwise create another Domain with a different spec\.domain$/,
  );
  expect(said(world, "DomainRecord", "www")).toContain("has no cloud object yet: its own condition is Conflict");
});

it("a taken name of a kind whose name can change needs no other object", async () => {
  const world = createWorld();
  world.cloud.add(paths.Firewall, { label: "wall", status: "enabled", rules: {} });
  world.cluster.create("Firewall", "wall", specs.Firewall);
  await world.advance(5 * minute);
  expect(said(world, "Firewall", "wall")).toMatch(/^Conflict: .* Otherwise set another spec\.label$/);
});

it("a token that lacks a scope is told of with the scope, and a cloud that fails is not said to refuse", async () => {
  const world = createWorld();
  world.cloud.settings.scopes = "account:read_only domains:read_only events:read_only";
  world.cloud.fault({ kind: "forbidden", method: "POST", path: /domains$/, times: 99 });
  world.cluster.create("Domain", "zone", specs.Domain);
  await world.advance(minute);
  expect(said(world, "Domain", "zone")).toMatch(
    /^Forbidden: .* The token of CloudAccount default\/default lacks the scope domains:read_write\. Use a token with the scope$/,
  );
  world.cloud.fault({ kind: "maintenance", method: "GET", path: /sshkeys/, times: 99 });
  world.cluster.create("SSHKey", "key", specs.SSHKey);
  await world.advance(minute);
  expect(said(world, "SSHKey", "key")).toMatch(
    /^CloudUnavailable: A read request got status 503.*\. The operator retries automatically$/,
  );
});

describe("what runs once", () => {
  const reboot = { instanceRef: { name: "web" }, action: "Reboot" };

  it("says why it was not started in its condition Complete", async () => {
    const world = await withInstance();
    world.cluster.create("ComputeAction", "late", { ...reboot, notAfter: "2020-01-01T00:00:00Z" });
    world.cluster.create("ComputeAction", "lost", { ...reboot, instanceRef: { name: "nobody" } });
    await world.advance(minute);
    expect(reasonOf(world, "ComputeAction", "late", "Complete")).toBe("Expired");
    expect(reasonOf(world, "ComputeAction", "lost", "Complete")).toBe("WaitingForReference");
  });

  it("tells of its failure in one event", async () => {
    const world = await withInstance();
    world.cloud.fault({ kind: "refused", method: "POST", path: /reboot$/, reason: "No." });
    world.cluster.create("ComputeAction", "one", reboot);
    await world.advance(minute);
    expect(reasonOf(world, "ComputeAction", "one", "Complete")).toBe("Failed");
    const warnings = world.cluster.events().filter(({ type, kind }) => type === "Warning" && kind === "ComputeAction");
    expect(warnings.map(({ reason }) => reason)).toEqual(["Failed"]);
  });
});

it("an approval of another plan is said to be one", async () => {
  const world = createWorld();
  world.cluster.create("Firewall", "wall", specs.Firewall, { management: { policy: "Plan" } });
  await world.advance(minute);
  world.cluster.annotate("Firewall", "wall", { "cloudplatform.dev/approve": "feedbeef" });
  await world.advance(minute);
  expect(said(world, "Firewall", "wall")).toContain("The annotation approves feedbeef, which is another plan.");
});

it("an account that many use names five of them, and how many more there are", async () => {
  const world = createWorld();
  for (const name of ["a", "b", "c", "d", "e", "f", "g"]) world.cluster.create("Firewall", name, specs.Firewall);
  await world.advance(minute);
  world.cluster.delete("CloudAccount", "default");
  await world.advance(minute);
  expect(messageOf(world, "CloudAccount", "default")).toMatch(
    /^This object is still used by Firewall default\/a, .* and 2 more\. /,
  );
});
