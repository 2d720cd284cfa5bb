/** Each correction of a cloud object that differs from the unchanged spec has the event Corrected, with old and new values. */
import { describe, expect, it } from "vitest";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { idOf, paths, specs } from "../support.ts";

const soonMs = 120_000;
const madeMs = 1_300_000;

const corrected = ({ cluster }: World) =>
  cluster.events().flatMap(({ reason, note }) => (reason === "Corrected" ? [note] : []));

const rule = { action: "ACCEPT", protocol: "TCP", ports: "22", ipv4: ["203.0.113.0/24"] };
const there = { action: "ACCEPT", protocol: "TCP", ports: "22", addresses: { ipv4: ["203.0.113.0/24"] } };
const foreign = { ...there, ports: "3389" };
const text = (ports: string) => `{"action":"ACCEPT","protocol":"TCP","ports":"${ports}","ipv4":["203.0.113.0/24"]}`;

interface Case {
  because: string;
  kind: keyof typeof paths;
  spec: object;
  change: (world: World, id: string) => void;
  notes: string[];
}

const cases: Case[] = [
  {
    because: "a field",
    kind: "SSHKey",
    spec: specs.SSHKey,
    change: ({ cloud }, id) => cloud.change(paths.SSHKey, id, { label: "other" }),
    notes: ['label: "other" → "one"'],
  },
  {
    because: "rules that came and went",
    kind: "Firewall",
    spec: { ...specs.Firewall, inbound: [rule] },
    change: ({ cloud }, id) => {
      const rules = { inbound: [foreign], inbound_policy: "ACCEPT", outbound: [], outbound_policy: "ACCEPT" };
      cloud.change(paths.Firewall, id, { rules });
    },
    notes: [`inboundPolicy: "ACCEPT" → "DROP"; inbound: ${text("3389")} → nothing; inbound: nothing → ${text("22")}`],
  },
  {
    because: "backups",
    kind: "ComputeInstance",
    spec: { ...specs.ComputeInstance, backups: { enabled: true } },
    change: ({ cloud }, id) => cloud.change(paths.ComputeInstance, id, { backups: { enabled: false } }),
    notes: ["backups.enabled: false → true"],
  },
  {
    because: "power",
    kind: "ComputeInstance",
    spec: { ...specs.ComputeInstance, powerState: "Running" },
    change: ({ cloud }, id) => cloud.change(paths.ComputeInstance, id, { status: "offline" }),
    notes: ['powerState: "Offline" → "Running"'],
  },
  {
    because: "clients of a database",
    kind: "ManagedMySQL",
    spec: { ...specs.ManagedMySQL, allowList: ["192.0.2.7"] },
    change: ({ cloud }, id) => cloud.change(paths.ManagedMySQL, id, { allow_list: ["0.0.0.0/0"] }),
    notes: ['allowList: "0.0.0.0/0" → nothing; allowList: nothing → "192.0.2.7/32"'],
  },
];

describe("a correction has an event", () => {
  it.each(cases)("$kind: $because", async ({ kind, spec, change, notes }) => {
    const world = createWorld();
    world.cluster.create(kind, "one", spec);
    await world.advance(madeMs);
    expect(world.cluster.get(kind, "one")).toBeReady();
    expect(corrected(world)).toEqual([]);
    change(world, idOf(world, kind, "one"));
    await world.advance(soonMs);
    expect(corrected(world)).toEqual(notes);
  });

  it("devices: each one that came or went", async () => {
    const world = createWorld();
    for (const name of ["web", "spare"]) world.cluster.create("ComputeInstance", name, specs.ComputeInstance);
    await world.advance(soonMs);
    const [web, spare] = ["web", "spare"].map((name) => idOf(world, "ComputeInstance", name));
    world.cluster.create("Firewall", "wall", { ...specs.Firewall, instanceRefs: [{ name: "web" }] });
    await world.advance(soonMs);
    const devices = `${paths.Firewall}/${idOf(world, "Firewall", "wall")}/devices`;
    for (const { id } of world.cloud.rows(devices)) world.cloud.remove(devices, JSON.stringify(id));
    world.cloud.add(devices, { entity: { id: Number(spare), type: "compute" } });
    await world.advance(madeMs);
    expect(corrected(world)).toEqual([
      `instanceRefs: nothing → {"id":"${web}"}`,
      `instanceRefs: {"id":"${spare}"} → nothing`,
    ]);
  });

  it("a cloud object that disappeared", async () => {
    const world = createWorld();
    world.cluster.create("SSHKey", "one", specs.SSHKey);
    await world.advance(soonMs);
    const before = idOf(world, "SSHKey", "one");
    world.cloud.remove(paths.SSHKey, before);
    await world.advance(700_000);
    expect(corrected(world)).toEqual([`id: ${before} (missing) → ${idOf(world, "SSHKey", "one")}`]);
  });

  it("but not a difference that the operator only reports, which names no other field", async () => {
    const world = createWorld();
    const spec = { ...specs.ComputeInstance, backups: { enabled: true } };
    world.cluster.create("ComputeInstance", "one", spec, { management: { driftPolicy: "Report" } });
    await world.advance(soonMs);
    world.cloud.change(paths.ComputeInstance, idOf(world, "ComputeInstance", "one"), { backups: { enabled: false } });
    await world.advance(soonMs);
    const drift = conditionOf(world.cluster.get("ComputeInstance", "one"), "Drifted");
    expect(drift?.message).toBe("spec.backups.enabled: cloud has false, spec says true");
    expect(corrected(world)).toEqual([]);
  });

  it("but not a change of the spec, which has its own event with the values", async () => {
    const world = createWorld();
    world.cluster.create("Firewall", "wall", { ...specs.Firewall, inbound: [rule] });
    await world.advance(soonMs);
    world.cluster.patch("Firewall", "wall", { spec: { inbound: [] } });
    await world.advance(soonMs);
    expect(corrected(world)).toEqual([]);
    const told = world.cluster.events().filter(({ reason }) => reason === "UpdateRules");
    expect(told).toMatchObject([{ note: `inbound: ${text("22")} → nothing` }]);
  });

  it("without a value of a Secret", async () => {
    const world = createWorld();
    world.cluster.secret("answers", { one: "hunter2", two: "hunter3", three: "hunter4" });
    const questions = ["one", "two", "three"].map((key, index) => ({
      questionID: index + 1,
      answerSecretRef: { name: "answers", key },
    }));
    world.cluster.create("SecurityQuestions", "one", { questions });
    await world.advance(soonMs);
    expect(world.cluster.get("SecurityQuestions", "one")).toBeReady();
    world.cloud.user("ada").settings.answers = { 1: "changed", 2: "changed", 3: "changed" };
    await world.advance(madeMs);
    expect(corrected(world)).toEqual(["questions: (sensitive)"]);
    expect(JSON.stringify(world.cluster.events())).not.toMatch(/hunter|changed/);
  });
});
