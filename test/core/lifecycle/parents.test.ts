/** What is contained in what is being deleted goes with it, and waits for nothing else that holds the object. */
import { expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import { madeMs, messageOf, specs } from "../support.ts";

const foreign = "example.org/other";

it.each([false, true])(
  "a record goes with its domain, whose object another finalizer holds; restart: %s",
  async (restart) => {
    const world = createWorld();
    world.cluster.create("Domain", "zone", specs.Domain);
    const record = { domainRef: { name: "zone" }, type: "A", name: "www", target: "192.0.2.1" };
    world.cluster.create("DomainRecord", "www", record);
    await world.advance(madeMs);
    const { finalizers = [] } = world.cluster.get("Domain", "zone")!.metadata;
    world.cluster.patch("Domain", "zone", { metadata: { finalizers: [...finalizers, foreign] } });
    world.cluster.delete("Domain", "zone");
    world.cluster.delete("DomainRecord", "www");
    if (restart) world.restart();
    await world.advance(120_000);
    expect(world.cluster.get("DomainRecord", "www"), messageOf(world, "DomainRecord", "www")).toBeUndefined();
    expect(world.cluster.get("Domain", "zone")?.metadata.finalizers).toEqual([foreign]);
    expect(world.cloud.rows("/domains")).toEqual([]);
    // One call for both.
    expect(world.cloud.ledger().filter(({ method }) => method === "DELETE")).toHaveLength(1);
  },
);
