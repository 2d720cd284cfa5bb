/** What the log says at info of the life of an object: a line for each change, and nothing while all is settled. */
import { describe, expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { CreateOptions, World } from "../../world/world.ts";
import { idOf, paths, specs } from "../support.ts";

const name = "web";
const path = paths.Firewall;
const minute = 60_000;

async function made(options: CreateOptions = {}): Promise<World> {
  const world = createWorld();
  world.cluster.create("Firewall", name, specs.Firewall, options);
  await world.advance(5 * minute);
  return world;
}

/** The lines about the object, as `level reason: message`. */
function linesOf(world: World, from = 0): string[] {
  return world
    .lines()
    .slice(from)
    .flatMap(({ level, message, fields }) => {
      const { key, id, reason } = fields as { key?: string; id?: string; reason?: string };
      return key === `Firewall/default/${name}` ? [`${level} ${reason} ${id}: ${message}`] : [];
    });
}

interface Row {
  what: string;
  options?: CreateOptions;
  act: (world: World, id: string) => void;
  lines: (id: string) => string[];
}

const rows: Row[] = [
  {
    what: "a new label",
    act: ({ cluster }) => cluster.patch("Firewall", name, { spec: { label: "renamed" } }),
    lines: (id) => [`info Updated ${id}: label: "web" → "renamed"`],
  },
  {
    what: "rules, which a step of their own brings there",
    act: ({ cluster }) => cluster.patch("Firewall", name, { spec: { inboundPolicy: "ACCEPT" } }),
    lines: (id) => [expect.stringMatching(`^info UpdateRules ${id}: `) as string],
  },
  {
    what: "a change behind the operator's back, which is undone",
    act: ({ cloud }, id) => cloud.change(path, id, { label: "drifted" }),
    lines: (id) => [`info Corrected ${id}: label: "drifted" → "web"`],
  },
  {
    what: "a removal behind the operator's back, which is replaced",
    act: ({ cloud }, id) => cloud.remove(path, id),
    lines: (id) => [
      `warn Missing ${id}: Firewall ${id} no longer exists in the cloud. The operator creates a new firewall`,
      expect.stringMatching("^info Created \\d+: Created firewall \\d+ \\(web\\)$") as string,
      expect.stringMatching(`^info Corrected \\d+: id: ${id} \\(missing\\) → \\d+$`) as string,
    ],
  },
  {
    what: "a deletion",
    act: ({ cluster }) => cluster.delete("Firewall", name),
    lines: (id) => [`info Deleted ${id}: Deleted firewall ${id} (web)`],
  },
  {
    what: "a deletion that leaves the cloud object",
    options: { management: { deletionPolicy: "Orphan" } },
    act: ({ cluster }) => cluster.delete("Firewall", name),
    lines: (id) => [`info Orphaned ${id}: Firewall ${id} stays in the cloud: deletionPolicy is Orphan`],
  },
  {
    what: "a deletion of an object that was let go",
    act: ({ cluster }) => {
      cluster.annotate("Firewall", name, { "cloudplatform.dev/orphan": "true" });
      cluster.delete("Firewall", name);
    },
    lines: (id) => [
      `info Orphaned ${id}: Firewall ${id} stays in the cloud: this object has the annotation cloudplatform.dev/orphan`,
    ],
  },
];

describe("the log tells", () => {
  it.each(rows)("$what", async ({ options, act, lines }) => {
    const world = await made(options);
    const id = idOf(world, "Firewall", name);
    const from = world.lines().length;
    act(world, id);
    await world.advance(20 * minute);
    expect(linesOf(world, from)).toEqual(lines(id));
  });

  it("a creation", async () => {
    const world = await made();
    const id = idOf(world, "Firewall", name);
    expect(linesOf(world)).toEqual([`info Created ${id}: Created firewall ${id} (web)`]);
  });

  it.each(["lives on", "is killed and begins anew"])(
    "a creation whose answer was lost, where the operator %s",
    async (how) => {
      const world = createWorld();
      world.cloud.fault({ kind: "lostAfter", method: "POST", path: /firewalls$/ });
      world.cluster.create("Firewall", name, specs.Firewall);
      await world.advance(300);
      if (how !== "lives on") {
        world.crash();
        world.restart();
      }
      await world.advance(20 * minute);
      const id = idOf(world, "Firewall", name);
      expect(world.cluster.events().map(({ note }) => note)).toContain(`Created firewall ${id} (web)`);
      expect(world.cluster.events().filter(({ reason }) => reason === "Created")).toHaveLength(1);
    },
  );

  it("an adoption", async () => {
    const world = createWorld();
    const rules = { inbound: [], inbound_policy: "ACCEPT", outbound: [], outbound_policy: "ACCEPT" };
    const { id } = world.cloud.add(path, { label: name, rules });
    world.cluster.create("Firewall", name, specs.Firewall, { management: { adopt: { id, overwrite: true } } });
    await world.advance(5 * minute);
    expect(linesOf(world)).toEqual([
      `info Adopted ${id}: Adopted firewall ${id} (${name})`,
      `info UpdateRules ${id}: inboundPolicy: "ACCEPT" → "DROP"`,
    ]);
  });

  it("a refusal, once", async () => {
    const world = createWorld();
    world.cloud.add(path, { label: name });
    world.cluster.create("Firewall", name, specs.Firewall);
    await world.advance(30 * minute);
    expect(linesOf(world)).toEqual([expect.stringMatching(/^warn Conflict undefined: /)]);
  });

  it("nothing in an hour of objects that are settled", async () => {
    const world = await made();
    for (const kind of ["SSHKey", "Domain", "ComputeInstance"] as const) world.cluster.create(kind, name, specs[kind]);
    await world.advance(30 * minute);
    const before = world.lines().length;
    await world.advance(60 * minute);
    expect(world.lines().slice(before)).toEqual([]);
  });
});
