/** Nothing is created with the token of a CloudAccount that is being deleted. */
import { expect, it } from "vitest";
import { begin, create, ready, sshKeys } from "./claim/scenes.ts";

it("what is created while its account goes is not created in the cloud, where nobody could delete it", async () => {
  const world = await begin();
  world.cluster.latency.ms = 10;
  world.cluster.delete("CloudAccount", "default");
  await world.advance(2);
  create(world, "SSHKey", "laptop");
  await world.advance(60_000);
  expect(world.cluster.get("CloudAccount", "default")).toBeUndefined();
  expect(ready(world, "SSHKey", "laptop")).toBe("WaitingForAccount");
  expect(world.cloud.rows(sshKeys)).toEqual([]);
});

it("…but where the account cannot go yet, the object has it back", async () => {
  const world = await begin();
  world.cluster.latency.ms = 10;
  world.cluster.writeFaults.push({ verb: "patch", how: "refused", times: 1 });
  world.cluster.delete("CloudAccount", "default");
  await world.advance(2);
  create(world, "SSHKey", "laptop");
  await world.advance(60_000);
  expect(world.cluster.get("CloudAccount", "default")).toBeDefined();
  expect(ready(world, "SSHKey", "laptop")).toBe("Ready");
  world.cluster.delete("SSHKey", "laptop");
  await world.advance(60_000);
  expect(world.cloud.rows(sshKeys)).toEqual([]);
  expect(world.cluster.get("CloudAccount", "default")).toBeUndefined();
});
