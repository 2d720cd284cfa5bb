/** Refusals that pass by themselves: what they wait for often comes with the same `kubectl apply`. */
import { expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import { changes, idOf, paths, specs, stateOf } from "../support.ts";

const address = "192.0.2.10";

function reverseName(times: number): ReturnType<typeof createWorld> {
  const world = createWorld();
  world.cloud.add("/networking/ips", { address, rdns: "cloud.example.net" });
  const reason = "Unable to look up mail.example.org";
  if (times > 0) world.cloud.fault({ kind: "refused", reason, method: "PUT", path: /ips/, times });
  world.cluster.create("ReverseDNS", "mail", { address, hostname: "mail.example.org" });
  return world;
}

it("a reverse name whose forward record comes a moment later is set within seconds", async () => {
  const world = reverseName(4);
  await world.advance(30_000);
  expect(world.cluster.get("ReverseDNS", "mail")).toBeReady();
});

it("a refusal that stays is asked about ever less often", async () => {
  const world = reverseName(1_000);
  await world.advance(300_000);
  expect(stateOf(world, "ReverseDNS", "mail")).toBe("Refused");
  const early = changes(world).length;
  const since = world.cloud.ledger().length;
  await world.advance(3_600_000);
  expect(changes(world).length - early).toBeLessThan(20);
  const reads = world.cloud.ledger().slice(since);
  // The list is polled each minute.
  expect(reads.filter(({ method, path }) => method === "GET" && path.endsWith(address)).length).toBeLessThan(20);
});

it("a reverse name of an instance that is younger than what was listed of the addresses is set at once", async () => {
  const world = reverseName(0);
  await world.advance(5_000);
  expect(world.cluster.get("ReverseDNS", "mail")).toBeReady();
  world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
  await world.advance(2_000);
  const id = idOf(world, "ComputeInstance", "web");
  const [own = ""] = world.cloud.find(paths.ComputeInstance, id)!.fields["ipv4"] as string[];
  world.cloud.add("/networking/ips", { address: own, compute_id: Number(id) });
  const addressRef = { kind: "ComputeInstance", name: "web", address: "Public" };
  world.cluster.create("ReverseDNS", "web", { addressRef, hostname: "web.example.org" });
  await world.advance(5_000);
  expect(world.cluster.get("ReverseDNS", "web")).toBeReady();
});
