/** What the cloud has, and what differs, is said in the words of the spec. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { describeDrift, describeKey, lineDifferences } from "../../../src/core/kind/words.ts";
import { sshKey as sshKeyKind } from "../../../src/kinds/account/ssh-key.ts";
import { domain } from "../../../src/kinds/domains/domain.ts";
import { firewall } from "../../../src/kinds/networking/firewall.ts";
import { ipAddress } from "../../../src/kinds/networking/ip-address.ts";
import { ipv6Range } from "../../../src/kinds/networking/ipv6-range.ts";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { idOf, madeMs, paths, specs } from "../support.ts";

const web = { action: "ACCEPT", protocol: "TCP", ports: "443", ipv4: ["0.0.0.0/0"] };
const ssh = { action: "ACCEPT", protocol: "TCP", ports: "22", ipv4: ["203.0.113.0/24"] };
const wireRule = ({ ipv4, ...rule }: typeof web): JsonObject => ({ ...rule, addresses: { ipv4 } });

function watched(kind: keyof typeof specs, row: JsonObject, spec: object = specs[kind]): World {
  const world = createWorld();
  const { id } = world.cloud.add(paths[kind], row);
  world.cluster.create(kind, "watcher", spec, { management: { policy: "Observe", adopt: { id } } });
  return world;
}

const observed = ({ cluster }: World, kind: string) => cluster.get(kind, "watcher")?.status?.["observed"];
const drift = ({ cluster }: World, kind: string) => conditionOf(cluster.get(kind, "watcher"), "Drifted")?.message;

const rules = {
  inbound_policy: "DROP",
  outbound_policy: "ACCEPT",
  inbound: [wireRule(web), wireRule(ssh)],
  outbound: [],
};

describe("Observe", () => {
  it("shows a firewall as a spec would say it; with just that spec nothing differs", async () => {
    const world = watched("Firewall", { label: "legacy", status: "disabled", tags: ["shop", "old"], rules });
    await world.advance(60_000);
    const shown = {
      label: "legacy",
      enabled: false,
      tags: ["old", "shop"],
      inboundPolicy: "DROP",
      outboundPolicy: "ACCEPT",
      inbound: [web, ssh],
      outbound: [],
      instanceRefs: [],
    };
    expect(observed(world, "Firewall")).toEqual(shown);
    world.cluster.patch("Firewall", "watcher", { spec: shown });
    await world.advance(60_000);
    expect(drift(world, "Firewall")).toBeUndefined();
  });

  it("says line by line what differs", async () => {
    const spec = {
      ...specs.Firewall,
      label: "legacy",
      inbound: [web, { ...ssh, ports: "2222" }],
      outboundPolicy: "DROP",
    };
    const world = watched("Firewall", { label: "legacy", status: "enabled", rules }, spec);
    await world.advance(60_000);
    expect(drift(world, "Firewall")).toBe(
      'spec.outboundPolicy: cloud has "ACCEPT", spec says "DROP"; spec.inbound[1].ports: cloud has "22", spec says "2222"',
    );
  });

  it("names the object that manages what the cloud has an id of", async () => {
    const world = createWorld();
    world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
    await world.advance(madeMs);
    const row = { label: "legacy", status: "enabled", rules };
    const { id } = world.cloud.add(paths.Firewall, row);
    const instance = Number(idOf(world, "ComputeInstance", "web"));
    world.cloud.asOperator("POST", `${paths.Firewall}/${id}/devices`, { id: instance, type: "compute" });
    const management = { policy: "Observe", adopt: { id } };
    world.cluster.create("Firewall", "watcher", specs.Firewall, { management });
    await world.advance(60_000);
    expect(observed(world, "Firewall")).toMatchObject({ instanceRefs: [{ name: "web" }] });
  });

  it("follows the cloud, and ends with the policy", async () => {
    const world = watched("SSHKey", { label: "key", ssh_key: specs.SSHKey.sshKey });
    await world.advance(60_000);
    expect(observed(world, "SSHKey")).toEqual({ label: "key", sshKey: specs.SSHKey.sshKey });
    world.cloud.change(paths.SSHKey, idOf(world, "SSHKey", "watcher"), { label: "renamed" });
    await world.advance(120_000);
    expect(observed(world, "SSHKey")).toMatchObject({ label: "renamed" });
    world.cluster.patch("SSHKey", "watcher", { spec: { management: { policy: "Manage" } } });
    await world.advance(60_000);
    expect(observed(world, "SSHKey")).toBeUndefined();
  });

  it("says missing of what is gone, and not the state in which it was seen last", async () => {
    const world = watched("Firewall", { label: "legacy", status: "enabled", rules });
    await world.advance(60_000);
    expect(world.cluster.get("Firewall", "watcher")?.status).toMatchObject({ state: "enabled" });
    world.cloud.remove(paths.Firewall, idOf(world, "Firewall", "watcher"));
    await world.advance(700_000);
    expect(world.cluster.get("Firewall", "watcher")?.status).toMatchObject({ state: "missing" });
    expect(observed(world, "Firewall")).toBeUndefined();
  });

  it("shows nothing where the account switches it off", async () => {
    const world = watched("SSHKey", { label: "key", ssh_key: specs.SSHKey.sshKey });
    world.cluster.patch("CloudAccount", "default", { spec: { reportObserved: false } });
    await world.advance(60_000);
    expect(observed(world, "SSHKey")).toBeUndefined();
  });
});

describe("what names a thing", () => {
  it.each([
    { of: ipAddress, spec: { instanceRef: { name: "web" } }, key: { compute_id: 1016 }, says: 'instanceRef "web"' },
    { of: ipAddress, spec: { instanceRef: { id: "1016" } }, key: { compute_id: 1016 }, says: 'instanceRef "1016"' },
    { of: ipv6Range, spec: { instanceRef: { name: "web" } }, key: { route_target: "::1" }, says: 'instanceRef "web"' },
    { of: ipv6Range, spec: { routeTarget: "::1" }, key: { route_target: "::1" }, says: 'routeTarget "::1"' },
    { of: firewall, spec: {}, key: { label: "legacy" }, says: 'label "legacy"' },
  ])("is said as the spec says it: $says", ({ of, spec, key, says }) => {
    expect(describeKey(of, spec, key)).toBe(says);
  });

  it("is cut where it is long", () => {
    const sshKey = `ssh-ed25519 ${"A".repeat(200)}`;
    const said = describeKey(sshKeyKind, { sshKey }, { label: "ro-1", ssh_key: sshKey });
    expect(said).toBe(`label "ro-1", sshKey "ssh-ed25519 ${"A".repeat(64)}…`);
  });
});

describe("a difference", () => {
  it("is said in the words of the spec, with both sides", () => {
    const status = { field: "status", desired: "active", observed: "disabled" };
    expect(describeDrift(domain, [status, { field: "ttl_sec", desired: 300, observed: 86_400 }])).toBe(
      "spec.enabled: cloud has false, spec says true; spec.ttlSeconds: cloud has 86400, spec says 300",
    );
  });

  it("of a list is said item by item; what is more is counted", () => {
    const all = Array.from({ length: 12 }, (_, index) => ({ ...web, ports: String(index + 1) }));
    const found = lineDifferences({ inbound: [web] }, { inbound: [web, ...all] });
    expect(found).toHaveLength(12);
    expect(describeDrift(firewall, found)).toMatch(
      /^spec\.inbound\[1\]: cloud has \{.*spec says nothing; .*; and 2 more$/,
    );
  });

  it("is none where the spec does not say it", () => {
    expect(lineDifferences({ alerts: { cpu: 90 } }, { alerts: { cpu: 90, io: 10 }, powerState: "Running" })).toEqual(
      [],
    );
  });
});
