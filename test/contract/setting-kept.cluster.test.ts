/** The shape `setting`: what was not set by its object stays, and its deletion hangs on nothing that is gone. */
import { expect, test } from "vitest";
import { sharedControlPlane } from "../support/control-plane.ts";
import { conditionOf, startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";

const hostname = "mail.example.org";
const of = { addressRef: { kind: "ComputeInstance", name: "web", address: "Public" }, hostname };

test("a name that was set before the object came stays when it goes", async () => {
  const { world, address } = await withAddress();
  await setName(world, address, hostname);
  await world.apply(world.object("ReverseDNS", "mail", of));
  await world.ready("ReverseDNS", "mail");
  await world.remove("ReverseDNS", "mail");
  await world.gone("ReverseDNS", "mail");
  expect(nameOf(world, address)).toBe(hostname);
  await world.stop();
});

test("a name that somebody set while the plan waits for its approval stays when the object goes", async () => {
  const { world, address } = await withAddress();
  await world.apply(world.object("ReverseDNS", "mail", { ...of, management: { policy: "Plan" } }));
  await world.until("ReverseDNS", "mail", (one) => conditionOf(one, "Ready")?.reason === "WaitingForApproval");
  await setName(world, address, hostname);
  await world.ready("ReverseDNS", "mail");
  await world.patch("ReverseDNS", "mail", { spec: { management: { policy: "Manage" } } });
  await world.remove("ReverseDNS", "mail");
  await world.gone("ReverseDNS", "mail");
  expect(nameOf(world, address)).toBe(hostname);
  await world.stop();
});

test("an object that has set nothing goes without its account", async () => {
  const world = await startWorld(sharedControlPlane());
  await world.apply(world.object("ReverseDNS", "mail", { address: "192.0.2.1", hostname }));
  await world.until("ReverseDNS", "mail", (one) => conditionOf(one, "Ready")?.reason === "Missing");
  await world.patch("ReverseDNS", "mail", { metadata: { finalizers: ["cloudplatform.dev/operator"] } });
  await world.patch("CloudAccount", "default", { metadata: { finalizers: [] } });
  await world.remove("CloudAccount", "default");
  await world.remove("ReverseDNS", "mail");
  await world.gone("ReverseDNS", "mail");
  await world.stop();
});

/** A world with an instance, whose address the name resolves to. */
async function withAddress(): Promise<{ world: World; address: string }> {
  const world = await startWorld(sharedControlPlane());
  await world.apply(world.object("ComputeInstance", "web", { region: "us-east", type: "g6-standard-1" }));
  const { status } = await world.ready("ComputeInstance", "web");
  const [address = ""] = (status as { ipv4: string[] }).ipv4;
  world.simulator.control.domains.setRemoteZone({
    nameserver: "ns1.example.net",
    domain: "example.org",
    soa_email: "hostmaster@example.org",
    records: [{ type: "A", name: "mail", target: address }],
  });
  return { world, address };
}

async function setName({ simulator }: World, address: string, rdns: string): Promise<void> {
  const headers = { authorization: `Bearer ${simulator.token}` };
  const url = `${simulator.url}/v4/networking/ips/${address}`;
  await fetch(url, { method: "PUT", headers, body: JSON.stringify({ rdns }) });
}

function nameOf({ simulator }: World, address: string): unknown {
  return simulator.control.rows("address").find((row) => row["address"] === address)?.["rdns"];
}
