/** Names that the cloud API stores in another spelling are made once, also where the answer to their creation is lost. */
import { describe, expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import { changes, idOf, specs } from "../support.ts";

const forms = [
  {
    because: "a full name is stored relative to the domain",
    sent: { type: "A", name: "www.example.org", target: "192.0.2.10" },
    stored: { name: "www" },
  },
  {
    because: "a full name with its final period",
    sent: { type: "A", name: "WWW.example.org.", target: "192.0.2.10" },
    stored: { name: "www" },
  },
  {
    because: "the domain's own name is its apex",
    sent: { type: "TXT", name: "example.org", target: "v=spf1 -all" },
    stored: { name: "" },
  },
  {
    because: "the period at the end of a target goes",
    sent: { type: "CNAME", name: "shop", target: "www.example.net." },
    stored: { target: "www.example.net" },
  },
];

describe.each(["lostAfter", "html502After", undefined] as const)("a record whose creation meets %s", (kind) => {
  it.each(forms)("is made once: $because", async ({ sent, stored }) => {
    const world = createWorld();
    world.cluster.create("Domain", "zone", specs.Domain);
    await world.advance(60_000);
    const path = `/domains/${idOf(world, "Domain", "zone")}/records`;
    const since = world.cloud.ledger().length;
    if (kind) world.cloud.fault({ kind, method: "POST", path: /records$/ });
    world.cluster.create("DomainRecord", "one", { domainRef: { name: "zone" }, ...sent });
    await world.settle();
    // The service has its own spelling, whatever was sent.
    for (const row of world.cloud.rows(path)) Object.assign(row, stored);
    await world.advance(900_000);
    expect(world.cluster.get("DomainRecord", "one")).toBeReady();
    expect(changes(world, since)).toEqual([`POST ${path}`]);
    expect(world.cloud.rows(path)).toHaveLength(1);
  });
});
