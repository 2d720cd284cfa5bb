/** The shape `setting`, by ReverseDNS: it is read, compared and set; deleting the object takes back what it has set. */
import { approveAnnotation } from "../../src/core/kind/annotations.ts";
import { statusOf } from "../../src/core/kind/object.ts";
import { expect, test } from "vitest";
import { finalizer } from "../../src/core/kind/resource.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { conditionOf, startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";

const hostname = "mail.example.org";

/** A world with an instance, whose address this name, and another, resolve to. */
async function withAddress(): Promise<{ world: World; address: string }> {
  const world = await startWorld(sharedControlPlane());
  await world.apply(world.object("ComputeInstance", "web", { region: "us-east", type: "g6-standard-1" }));
  const { status } = await world.ready("ComputeInstance", "web");
  const [address = ""] = (status as { ipv4: string[] }).ipv4;
  resolves(world, address);
  return { world, address };
}

function resolves({ simulator }: World, address: string): void {
  const records = ["mail", "mx"].map((name) => ({ type: "A" as const, name, target: address }));
  simulator.control.domains.setRemoteZone({
    nameserver: "ns1.example.net",
    domain: "example.org",
    soa_email: "hostmaster@example.org",
    records,
  });
}

function nameOf({ simulator }: World, address: string): unknown {
  return simulator.control.rows("address").find((row) => row["address"] === address)?.["rdns"];
}

function sets({ simulator }: World): number {
  return simulator.control.ledger({ method: "PUT", path: "/v4/networking/ips/*" }).length;
}

const of = { addressRef: { kind: "ComputeInstance", name: "web", address: "Public" }, hostname };

test("a name is set once, kept, changed, and taken back with its object", async () => {
  const { world, address } = await withAddress();
  const byDefault = nameOf(world, address);
  await world.apply(world.object("ReverseDNS", "mail", of));
  const object = await world.ready("ReverseDNS", "mail");
  expect(statusOf(object).id).toBe(address);
  expect(object.status).toMatchObject({ hostname });
  expect(object.metadata.finalizers).toEqual([finalizer]);
  expect(nameOf(world, address)).toBe(hostname);
  await world.restartOperator();
  await world.ready("ReverseDNS", "mail");
  expect(sets(world)).toBe(1);
  await world.patch("ReverseDNS", "mail", { spec: { hostname: "mx.example.org" } });
  await world.ready("ReverseDNS", "mail");
  expect(nameOf(world, address)).toBe("mx.example.org");
  await world.remove("ReverseDNS", "mail");
  await world.gone("ReverseDNS", "mail");
  expect(nameOf(world, address)).toBe(byDefault);
  await world.stop();
});

test("what somebody else has set since stays when the object is deleted", async () => {
  const { world, address } = await withAddress();
  await world.apply(world.object("ReverseDNS", "mail", of));
  await world.ready("ReverseDNS", "mail");
  await world.patch("ReverseDNS", "mail", { spec: { management: { driftPolicy: "Report" } } });
  await world.ready("ReverseDNS", "mail");
  const call = { method: "PUT", headers: { authorization: `Bearer ${world.simulator.token}` } };
  const url = `${world.simulator.url}/v4/networking/ips/${address}`;
  await fetch(url, { ...call, body: JSON.stringify({ rdns: "mx.example.org" }) });
  await world.remove("ReverseDNS", "mail");
  await world.gone("ReverseDNS", "mail");
  expect(nameOf(world, address)).toBe("mx.example.org");
  await world.stop();
});

test("a name that does not resolve to the address yet is waited for, and two objects do not set one address in turns", async () => {
  const { world, address } = await withAddress();
  await world.apply(world.object("ReverseDNS", "early", { ...of, hostname: "later.example.org" }));
  // The reason is Refused, or WaitingForChange while the instance is new.
  const refusal = /Unable to look up later[.]example[.]org/;
  await world.until("ReverseDNS", "early", (one) => refusal.test(conditionOf(one, "Reconciling")?.message ?? ""));
  await world.apply(world.object("ReverseDNS", "rival", { address, hostname }));
  // Which of the two is older is not known where both were created in one second; an edit has each reconciled now.
  let edits = 0;
  await expect
    .poll(async () => {
      const annotations = { "example.org/edit": String((edits += 1)) };
      const both = await Promise.all(
        ["early", "rival"].map((name) => world.patch("ReverseDNS", name, { metadata: { annotations } })),
      );
      return both.filter((one) => conditionOf(one, "Stalled")?.reason === "Conflict").length;
    })
    .toBe(1);
  await world.stop();
});

test("under the policy Plan it is set once approved, and the removal of the object waits for an approval as well", async () => {
  const { world, address } = await withAddress();
  const byDefault = nameOf(world, address);
  await world.apply(world.object("ReverseDNS", "mail", { ...of, management: { policy: "Plan" } }));
  await approve(world);
  await world.ready("ReverseDNS", "mail");
  expect(nameOf(world, address)).toBe(hostname);
  await world.remove("ReverseDNS", "mail");
  await approve(world);
  await world.gone("ReverseDNS", "mail");
  expect(nameOf(world, address)).toBe(byDefault);
  await world.stop();
});

async function approve(world: World): Promise<void> {
  const planned = await world.until("ReverseDNS", "mail", (one) => statusOf(one).plan !== undefined);
  expect(statusOf(planned).plan?.operations).toMatchObject([{ method: "PUT" }]);
  await world.patch("ReverseDNS", "mail", {
    metadata: { annotations: { [approveAnnotation]: statusOf(planned).plan?.hash } },
  });
}
