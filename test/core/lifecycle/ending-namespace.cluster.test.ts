/** While Kubernetes deletes a namespace, no message asks to create an object in the namespace. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { conditionOf, startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

const namespaces = { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false };
const zone = { domain: "example.org", type: "master", soaEmail: "ada@example.org" };
const record = { domainRef: { name: "zone" }, type: "A", name: "www", target: "192.0.2.1" };
const file = { bucketRef: { name: "media" }, objectKey: "robots.txt", contentConfigMapRef: { name: "robots" } };
const protect = { management: { protect: true } };

let world: World;
beforeEach(async () => {
  world = await startWorld(sharedControlPlane());
});
afterEach(() => world.stop());

/** The namespace controller deletes every object that is not protected. */
async function endNamespace(): Promise<void> {
  await world.kube.delete(namespaces, { name: world.namespace });
}

async function told(kind: string, name: string, text = "is being deleted"): Promise<string> {
  const object = await world.until(kind, name, (one) => messageOf(one).includes(text));
  const message = messageOf(object);
  expect(message).not.toMatch(/create/i);
  return message;
}

function messageOf(object: Parameters<typeof conditionOf>[0]): string {
  return conditionOf(object, "Ready")?.message ?? "";
}

test("a protected record whose zone goes is told how to let it go, too", async () => {
  await world.apply(
    world.object("Domain", "zone", zone),
    world.object("DomainRecord", "www", { ...record, ...protect }),
  );
  await world.ready("DomainRecord", "www");
  await endNamespace();
  expect(await told("DomainRecord", "www")).toBe(
    `Namespace ${world.namespace} is being deleted, and what this object needs cannot come into being there. ` +
      "This object is protected. Set spec.management.protect to false, and Kubernetes deletes it, too",
  );
  await world.patch("DomainRecord", "www", { spec: { management: { protect: false } } });
  await world.gone("DomainRecord", "www");
});

test.each([
  { why: "a reference that does not exist", kind: "DomainRecord", spec: record },
  { why: "a ConfigMap that does not exist", kind: "BucketObject", spec: file },
])("a protected object with $why is told the same", async ({ kind, spec }) => {
  await world.apply(
    world.object("Bucket", "media", { cluster: "us-east-1", ...protect }),
    world.object(kind, "waits", { ...spec, ...protect }),
  );
  await world.condition(kind, "waits", "Reconciling", "WaitingForReference");
  await endNamespace();
  await world.patch(kind, "waits", { metadata: { labels: { look: "again" } } });
  expect(await told(kind, "waits")).toContain("Set spec.management.protect to false");
});

test("an object whose account is gone names the way to leave the cloud object", async () => {
  await world.apply(world.object("Domain", "zone", zone));
  const { status } = await world.ready("Domain", "zone");
  await world.patch("CloudAccount", "default", { metadata: { finalizers: null } });
  await world.remove("CloudAccount", "default");
  await world.condition("Domain", "zone", "Reconciling", "WaitingForAccount");
  await endNamespace();
  const message = await told("Domain", "zone", "kubectl annotate");
  expect(message).toContain(`Namespace ${world.namespace} is being deleted`);
  expect(message).toContain(`cannot delete ${String(status?.["id"])}`);
  const [, annotation = "", value = ""] = /--overwrite (\S+?)=(\S+)$/.exec(message) ?? [];
  await world.patch("Domain", "zone", { metadata: { annotations: { [annotation]: value } } });
  await world.gone("Domain", "zone");
});

test("an account whose Secret goes asks for no other", async () => {
  await world.apply(world.object("Domain", "zone", { ...zone, ...protect }));
  await world.ready("Domain", "zone");
  await endNamespace();
  // The zone keeps the account and its Secret.
  expect(await told("CloudAccount", "default", "/zone")).not.toContain("spec.tokenSecretRef");
  await world.patch("Domain", "zone", { spec: { management: { protect: false } } });
  await world.gone("Domain", "zone");
});
