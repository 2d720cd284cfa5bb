import { describe, expect, it } from "vitest";
import { graphOf } from "../../src/cli/tree/graph.ts";
import { dot, mermaid, treeText } from "../../src/cli/tree/written.ts";
import { kindNamed } from "../../src/cli/objects.ts";
import type { OptionValues } from "../../src/cli/command.ts";
import { tree } from "../../src/cli/commands/tree.ts";
import { specs } from "../core/support.ts";
import { createWorld } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { runOn } from "./support/world-cluster.ts";

/** A zone with a record for an instance, a record without its zone, and a firewall of another namespace. */
async function scene(): Promise<World> {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "vm", specs.ComputeInstance);
  world.cluster.create("Domain", "zone", specs.Domain);
  const targetRef = { kind: "ComputeInstance", name: "vm", address: "Public" };
  world.cluster.create("DomainRecord", "www", { domainRef: { name: "zone" }, type: "A", name: "www", targetRef });
  world.cluster.create("DomainRecord", "lost", {
    domainRef: { name: "absent" },
    type: "A",
    name: "x",
    target: "192.0.2.1",
  });
  world.cluster.create("DomainRecord", "by-id", { domainRef: { id: "99" }, type: "A", name: "y", target: "192.0.2.1" });
  await world.advance(1_300_000);
  return world;
}

function show(world: World, args: string[] = [], options: OptionValues = {}) {
  return runOn(world, tree, args, { options });
}

describe("tree", () => {
  it("shows each object below the object that it is a part of, with its readiness and further references", async () => {
    const { code, out, err } = await show(await scene());
    expect(code).toBe(0);
    expect(out).toBe(
      [
        "CloudAccount default/default  Connected",
        "├─ ComputeInstance default/vm  Ready",
        "└─ Domain default/zone  Ready",
        "   └─ DomainRecord default/www  Ready",
        "        → ComputeInstance default/vm  Ready",
        "Domain 99  cloud object",
        "└─ DomainRecord default/by-id  InvalidSpec",
        "Domain default/absent  does not exist",
        "└─ DomainRecord default/lost  WaitingForReference",
        "",
      ].join("\n"),
    );
    expect(err).toContain("unmanaged cloud objects are not shown");
  });

  it("of one object shows all that it needs, and all that needs it", async () => {
    const world = await scene();
    const { out } = await show(world, ["domain", "zone"]);
    expect(out).toBe(
      [
        "CloudAccount default/default  Connected",
        "└─ Domain default/zone  Ready",
        "   └─ DomainRecord default/www  Ready",
        "",
      ].join("\n"),
    );
    const { out: ofRecord } = await show(world, ["domainrecord/www"]);
    expect(ofRecord).toContain("ComputeInstance default/vm");
    expect(ofRecord).not.toContain("lost");
  });

  it("draws the same graph as Mermaid, DOT and JSON", async () => {
    const world = await scene();
    const { out: flowchart } = await show(world, ["domain", "zone"], { output: "mermaid" });
    expect(flowchart).toMatch(/^flowchart LR\n/);
    expect(flowchart).toContain('["Domain default/zone<br>Ready"]:::ready');
    expect(flowchart).toMatch(/n\d ==> n\d/);
    const { out: graphviz } = await show(world, ["domain", "zone"], { output: "dot" });
    expect(graphviz).toMatch(/^digraph cloudplatform \{[^]*\}\n$/);
    expect(graphviz).toMatch(/n\d -> n\d \[style=bold\];/);
    const { out: json } = await show(world, ["domain", "zone"], { output: "json" });
    expect((JSON.parse(json) as { nodes: unknown[] }).nodes).toHaveLength(3);
  });

  it("escapes texts of the cloud", async () => {
    const hostile = '"]:::x\u001b[31m\\';
    const world = await scene();
    const account = { kind: kindNamed("cloudaccount"), object: world.cluster.get("CloudAccount", "default")! };
    const graph = graphOf([account], [{ account: "default/default", title: hostile }]);
    expect(treeText(graph, (_, text) => text)).not.toContain("\u001b");
    expect(mermaid(graph)).toContain("#34;]:::x [31m");
    expect(dot(graph)).toContain(String.raw`[label="\"]:::x [31m\\\nnot managed"`);
    expect(graph.nodes.map(({ state }) => state)).toEqual(["ready", "unmanaged"]);
  });

  it("shows every object of a cycle of parts once", () => {
    const part = (name: string, of: string) => ({
      kind: {
        ...kindNamed("domainrecord"),
        references: { d: { kind: "DomainRecord", contained: true, from: () => ({ name: of }) } },
      },
      object: {
        apiVersion: "",
        kind: "DomainRecord",
        metadata: { name, namespace: "n", uid: name, resourceVersion: "", creationTimestamp: "" },
      },
    });
    const text = treeText(graphOf([part("a", "b"), part("b", "a")]), (_, of) => of);
    expect(text.match(/DomainRecord n\/[ab]/g)).toEqual(["DomainRecord n/a", "DomainRecord n/b"]);
  });
});
