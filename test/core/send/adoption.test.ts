/** The first difference of an adopted cloud object in access, data or cost waits for an approval. */
import { describe, expect, it } from "vitest";
import { approveAnnotation } from "../../../src/core/kind/annotations.ts";
import type { JsonObject } from "../../../src/api/types.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, idOf, manage, messageOf, obey, paths, specs, stateOf } from "../support.ts";

const soonMs = 120_000;
const ssh = { action: "ACCEPT", protocol: "TCP", ports: "22", addresses: { ipv4: ["203.0.113.0/24"] } };
const sshText = '{"action":"ACCEPT","protocol":"TCP","ports":"22","ipv4":["203.0.113.0/24"]}';
const rules = { inbound: [ssh], inbound_policy: "DROP", outbound: [], outbound_policy: "ACCEPT" };
const wall = { label: "wall", status: "enabled", tags: [], rules };

function adopt(
  kind: keyof typeof paths,
  row: JsonObject,
  spec: object,
  more: object = {},
): { world: World; id: string } {
  const world = createWorld();
  const { id } = world.cloud.add(paths[kind], row);
  world.cluster.create(kind, "taken", spec, { management: { adopt: { id, ...more } } });
  return { world, id };
}

describe("a Firewall that is adopted with an empty list of rules", () => {
  const spec = { ...specs.Firewall, label: "wall", inbound: [] };

  it("keeps the live rule, and shows the rule with the command that removes it", async () => {
    const { world } = adopt("Firewall", wall, spec);
    await world.advance(700_000);
    expect(changes(world)).toEqual([]);
    expect(stateOf(world, "Firewall", "taken")).toBe("AdoptionDiffers");
    const message = messageOf(world, "Firewall", "taken");
    expect(message).toContain(`inbound: ${sshText} → nothing`);
    expect(message).toContain(approveAnnotation);
    const told = world.cluster.events().filter(({ reason }) => reason === "AdoptionDiffers");
    expect(told).toMatchObject([{ type: "Warning" }]);
  });

  it("loses the rule after the approval, and is then corrected without a question", async () => {
    const { world, id } = adopt("Firewall", wall, spec);
    await world.advance(soonMs);
    obey(world, "Firewall", "taken");
    await world.advance(soonMs);
    expect(world.cluster.get("Firewall", "taken")).toBeReady();
    expect(changes(world)).toEqual([`PUT ${paths.Firewall}/${id}/rules`]);
    world.cloud.change(paths.Firewall, id, { rules });
    await world.advance(soonMs);
    expect(world.cloud.rows(paths.Firewall)[0]).toMatchObject({ rules: { inbound: [] } });
  });

  it("is ready without a change after the spec follows the cloud", async () => {
    const { world } = adopt("Firewall", wall, spec);
    await world.advance(soonMs);
    const inbound = [{ action: "ACCEPT", protocol: "TCP", ports: "22", ipv4: ["203.0.113.0/24"] }];
    world.cluster.patch("Firewall", "taken", { spec: { inbound } });
    await world.advance(soonMs);
    expect(world.cluster.get("Firewall", "taken")).toBeReady();
    expect(changes(world)).toEqual([]);
  });

  it("loses the rule at once with overwrite", async () => {
    const { world, id } = adopt("Firewall", wall, spec, { overwrite: true });
    await world.advance(soonMs);
    expect(world.cluster.get("Firewall", "taken")).toBeReady();
    expect(changes(world)).toEqual([`PUT ${paths.Firewall}/${id}/rules`]);
  });

  it("waits also after a restart of the operator, and after a time of only observing", async () => {
    const { world, id } = adopt("Firewall", wall, spec);
    await world.advance(soonMs);
    world.restart();
    manage(world, "Firewall", "taken", { policy: "Observe", adopt: { id } });
    await world.advance(soonMs);
    manage(world, "Firewall", "taken", { policy: null });
    await world.advance(700_000);
    expect(changes(world)).toEqual([]);
    expect(stateOf(world, "Firewall", "taken")).toBe("AdoptionDiffers");
  });

  it("only reports the rule with driftPolicy Report", async () => {
    const world = createWorld();
    const { id } = world.cloud.add(paths.Firewall, wall);
    world.cluster.create("Firewall", "taken", spec, { management: { adopt: { id }, driftPolicy: "Report" } });
    await world.advance(soonMs);
    expect(world.cluster.get("Firewall", "taken")).toBeReady();
    expect(changes(world)).toEqual([]);
  });
});

describe("an adopted object waits", () => {
  const machine = { ...specs.ComputeInstance, status: "running", tags: [], alerts: {}, backups: { enabled: false } };
  const database = { ...specs.ManagedMySQL, label: "old", status: "active", cluster_size: 1, port: 3306 };
  const zone = { ...specs.Domain, soa_email: specs.Domain.soaEmail, status: "active", axfr_ips: ["192.0.2.9"] };

  it.each([
    {
      because: "backups cost money",
      kind: "ComputeInstance" as const,
      row: { ...machine, label: "old" },
      spec: { ...specs.ComputeInstance, label: "old", backups: { enabled: true } },
      line: "backups.enabled: false → true",
    },
    {
      because: "a list of clients grants access",
      kind: "ManagedMySQL" as const,
      row: { ...database, allow_list: ["192.0.2.7/32"], hosts: { primary: "db.test" } },
      spec: { ...specs.ManagedMySQL, label: "old", allowList: [] },
      line: 'allowList: "192.0.2.7/32" → nothing',
    },
    {
      because: "zone transfers grant access",
      kind: "Domain" as const,
      row: zone,
      spec: { ...specs.Domain, axfrIPs: [] },
      line: 'axfrIPs: "192.0.2.9" → nothing',
    },
  ])("$kind: $because", async ({ kind, row, spec, line }) => {
    const { world } = adopt(kind, row, spec);
    await world.advance(700_000);
    expect(changes(world)).toEqual([]);
    expect(stateOf(world, kind, "taken")).toBe("AdoptionDiffers");
    expect(messageOf(world, kind, "taken")).toContain(line);
  });

  it("not for a label", async () => {
    const { world, id } = adopt("Firewall", wall, { ...specs.Firewall, label: "renamed" });
    await world.advance(soonMs);
    expect(idOf(world, "Firewall", "taken")).toBe(id);
    expect(changes(world)).toEqual([`PUT ${paths.Firewall}/${id}`]);
    expect(world.cluster.get("Firewall", "taken")).toBeReady();
  });
});
