import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubeObject } from "../../../src/cluster/types.ts";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { conditionOf, startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";
let platform: World;
let tenant: World;

beforeAll(async () => {
  platform = await startWorld(sharedControlPlane(), { start: false });
  tenant = await startWorld(sharedControlPlane(), { start: false, account: false });
  await platform.restartOperator({ namespaces: [platform.namespace, tenant.namespace] });
});
afterAll(async () => {
  await platform.stop();
  await tenant.stop();
});

const share = (sharing: object | null) => platform.patch("CloudAccount", "default", { spec: { sharing } });
const stalled = (object: KubeObject) => conditionOf(object, "Stalled");
const key = (name: string, more: object = {}) =>
  tenant.object("SSHKey", name, { sshKey, accountRef: { name: "default", namespace: platform.namespace }, ...more });

test("an account of another namespace serves once it is shared, and no longer when that is withdrawn", async () => {
  await tenant.apply(key("laptop"));
  expect(stalled(await tenant.condition("SSHKey", "laptop", "Stalled", "NotShared"))?.message).toContain(
    `is not shared with namespace ${tenant.namespace}`,
  );
  await share({ namespaces: [tenant.namespace], accountWide: [tenant.namespace] });
  await tenant.ready("SSHKey", "laptop");

  await share(null);
  await tenant.patch("SSHKey", "laptop", { spec: { label: "renamed" } });
  await tenant.condition("SSHKey", "laptop", "Stalled", "NotShared");
  expect(platform.simulator.control.rows("sshkey")).toMatchObject([{ label: "laptop" }]);
});

test("whoever may use an account takes nothing that exists in it, unless its owner allows that too", async () => {
  const control = platform.simulator.control;
  await share({ namespaces: [tenant.namespace], accountWide: [tenant.namespace] });
  await tenant.ready("SSHKey", "laptop");
  await platform.apply(platform.object("SSHKey", "orphan", { sshKey, management: { deletionPolicy: "Orphan" } }));
  const { status } = await platform.ready("SSHKey", "orphan");
  await platform.remove("SSHKey", "orphan");
  await platform.gone("SSHKey", "orphan");

  await tenant.apply(key("taker", { label: "orphan", management: { adopt: { id: String(status?.["id"]) } } }));
  const refused = await tenant.condition("SSHKey", "taker", "Stalled", "NotShared");
  expect(stalled(refused)?.message).toContain("spec.management.adopt");
  await share({ namespaces: [tenant.namespace], existing: [tenant.namespace], accountWide: [tenant.namespace] });
  await tenant.ready("SSHKey", "taker");
  expect(control.rows("sshkey").filter(({ label }) => label === "orphan")).toHaveLength(1);
});
