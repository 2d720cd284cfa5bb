/** What is part of something is gone with it only where its own path, too, answers that it is gone. */
import { expect, it } from "vitest";
import { begin, idOf, made, minutes } from "../support.ts";
import type { World } from "../../world/world.ts";

/** A record of a domain that its list leaves out, whose records answer 404, and that its own path shows. */
async function withHalfADomain(): Promise<World> {
  const world = await begin();
  world.cluster.create("Domain", "zone", { domain: "example.org", type: "master", soaEmail: "ada@example.org" });
  for (const name of ["kept", "deleted"])
    world.cluster.create("DomainRecord", name, { domainRef: { name: "zone" }, type: "TXT", target: name });
  await world.advance(minutes(10));
  expect(world.cluster.get("DomainRecord", "kept")).toBeReady();
  world.cloud.settings.inLists = (fields) => (fields["domain"] === undefined ? fields : { ...fields, id: 999 });
  world.cloud.fault({ kind: "notFound", path: /^\/domains\/\d+\/records/, times: 1_000_000 });
  return world;
}

it("a record is neither made again nor let go while the domain's own path shows the domain", async () => {
  const world = await withHalfADomain();
  const records = `/domains/${idOf(world, "Domain", "zone")}/records`;
  expect(made(world, records)).toBe(2);
  world.cluster.delete("DomainRecord", "deleted");
  world.cluster.patch("DomainRecord", "kept", { spec: { target: "other" } });
  await world.advance(minutes(30));
  expect(made(world, records)).toBe(2);
  expect(world.cluster.get("DomainRecord", "deleted")).toBeDefined();
  world.cloud.settings.inLists = (fields) => fields;
  world.cloud.clearFaults();
  await world.advance(minutes(30));
  expect(world.cluster.get("DomainRecord", "deleted")).toBeUndefined();
  expect(world.cluster.get("DomainRecord", "kept")).toBeReady();
  expect(world.cloud.rows(records)).toHaveLength(1);
  expect(made(world, records)).toBe(2);
});

it("…and it is let go once that answers 404, too", async () => {
  const world = await withHalfADomain();
  world.cluster.delete("DomainRecord", "deleted");
  world.cloud.fault({ kind: "notFound", path: /^\/domains\/\d+$/, times: 1_000_000 });
  await world.advance(minutes(30));
  expect(world.cluster.get("DomainRecord", "deleted")).toBeUndefined();
});
