import { beforeEach, expect, it } from "vitest";
import { KubeError } from "../../src/cluster/errors.ts";
import { createLeadership, leases, namespacesAnnotation } from "../../src/cluster/lease.ts";
import { createOtherLeases } from "../../src/cluster/other-leases.ts";
import type { Leadership, OtherLeases } from "../../src/cluster/types.ts";
import { createMovedClock } from "../support/clock.ts";
import type { MovedClock } from "../support/clock.ts";
import { createFakeClient } from "./fake-client.ts";
import type { FakeClient } from "./fake-client.ts";
import { createLog } from "./support.ts";

const lease = { namespace: "system", name: "first" };
let clock: MovedClock;
let server: FakeClient;
let others: OtherLeases;
let holder: Leadership;

beforeEach(async () => {
  clock = createMovedClock();
  server = createFakeClient();
  others = createOtherLeases({ client: server, clock });
  const namespaces = ["shop", "web"];
  holder = createLeadership({ client: server, clock, log: createLog(), identity: "a", namespaces, ...lease });
  await clock.advance(0);
  await holder.acquired;
});

it("a lease that is renewed covers the namespaces that its holder watches, and no other", async () => {
  expect(await others.holds(lease, "shop")).toBe("yes");
  expect(await others.holds(lease, "bank")).toBe("no");
  for (let renewals = 0; renewals < 60; renewals++) await clock.advance(2_000);
  expect(await others.holds(lease, "shop")).toBe("yes");
});

it("a lease whose holder watches everything covers every namespace", async () => {
  server.objects.get("leases/system/first")!.metadata.annotations = { [namespacesAnnotation]: "" };
  expect(await others.holds(lease, "bank")).toBe("yes");
});

it("a lease that was given back covers for 75 seconds more, in which its holder may come back", async () => {
  await holder.release();
  expect(await others.holds(lease, "shop")).toBe("yes");
  await clock.advance(70_000);
  expect(await others.holds(lease, "shop")).toBe("yes");
  await clock.advance(25_000);
  expect(await others.holds(lease, "shop")).toBe("no");
});

it("a lease of another program, which says no namespaces, covers nothing however often it is renewed", async () => {
  const scheduler = { namespace: "kube-system", name: "kube-scheduler" };
  const metadata = { ...scheduler };
  await server.create(leases, { metadata, spec: { holderIdentity: "node-1", leaseDurationSeconds: 15 } });
  expect(await others.holds(scheduler, "shop")).toBe("no");
});

it("a lease whose annotation somebody took off has it again after its next renewal", async () => {
  delete server.objects.get("leases/system/first")!.metadata.annotations;
  await clock.advance(2_000);
  expect(await others.holds(lease, "shop")).toBe("yes");
  expect(await others.holds(lease, "bank")).toBe("no");
});

it("a lease that does not exist covers nothing, of one that may not be read nothing is known", async () => {
  expect(await others.holds({ namespace: "system", name: "none" }, "shop")).toBe("no");
  server.before = () => {
    throw new KubeError("forbidden", { status: 403, reason: "Forbidden" });
  };
  expect(await others.holds({ namespace: "locked", name: "first" }, "shop")).toBe("unknown");
});

it("many objects of one lease cost one read in twenty seconds", async () => {
  await holder.release();
  server.calls.length = 0;
  for (let objects = 0; objects < 100; objects++) await others.holds(lease, "shop");
  expect(server.calls).toEqual(["get leases/first"]);
});
