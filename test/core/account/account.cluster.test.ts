import { afterEach, beforeEach, expect, test } from "vitest";
import type { KubeObject } from "../../../src/cluster/types.ts";
import { sharedControlPlane } from "../../support/control-plane.ts";
import { accountObjects, conditionOf, startWorld } from "../../support/world.ts";
import type { World } from "../../support/world.ts";

const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";
let world: World;
beforeEach(async () => {
  world = await startWorld(sharedControlPlane(), { account: false });
});
afterEach(() => world.stop());

const message = (object: KubeObject) => conditionOf(object, "Ready")?.message;
const quiet = { debug: () => undefined, info: () => undefined, error: () => undefined };
const calls = () => world.simulator.control.ledger().length;
const useToken = (token: string) => world.apply(accountObjects(world.namespace, token)[0] ?? {});

test("without an account an object waits and says which one it misses", async () => {
  await world.apply(world.object("SSHKey", "laptop", { sshKey }));
  const object = await world.condition("SSHKey", "laptop", "Reconciling", "WaitingForAccount");
  expect(message(object)).toBe(
    `spec.accountRef: CloudAccount default does not exist in namespace ${world.namespace}. Create it there. To use an account of another namespace, which must share it, create this object again with spec.accountRef.namespace`,
  );
});

test("an account whose Secret is missing, malformed or rejected says so, and so does what waits for it; nothing else is tried", async () => {
  await world.apply(world.object("SSHKey", "laptop", { sshKey }), accountObjects(world.namespace, "")[1] ?? {});
  const missing = await world.condition("CloudAccount", "default", "Stalled", "TokenMissing");
  expect(message(missing)).toContain("spec.tokenSecretRef: Secret cloud-token does not exist");
  await world.condition("SSHKey", "laptop", "Stalled", "TokenMissing");

  await useToken("two words");
  const malformed = await world.condition("CloudAccount", "default", "Stalled", "TokenMalformed");
  expect(message(malformed)).not.toContain("two words");
  await world.condition("SSHKey", "laptop", "Stalled", "TokenMalformed");
  expect(calls()).toBe(0);

  await useToken("no-such-token");
  await world.condition("CloudAccount", "default", "Stalled", "TokenRejected");
  const waiting = await world.condition("SSHKey", "laptop", "Stalled", "TokenRejected");
  expect(message(waiting)).toBe(
    "CloudAccount default: spec.tokenSecretRef: the cloud API rejects the token (401) that is stored under key token of Secret cloud-token in namespace " +
      `${world.namespace}. The operator reads and changes nothing. Store a valid token there`,
  );
  expect(calls()).toBe(1);

  await useToken(world.simulator.token);
  await world.ready("SSHKey", "laptop");
});

test("an account of a service that does not answer says so, and recovers by itself", async () => {
  const fault = world.simulator.control.faults.add({ kind: "status", status: 503 });
  await world.apply(
    ...accountObjects(world.namespace, world.simulator.token),
    world.object("SSHKey", "laptop", { sshKey }),
  );
  await world.condition("CloudAccount", "default", "Reconciling", "CloudUnavailable");
  const waiting = await world.condition("SSHKey", "laptop", "Reconciling", "WaitingForAccount");
  expect(message(waiting)).toContain("CloudAccount default: ");
  world.simulator.control.faults.remove(fault);
  await world.ready("SSHKey", "laptop", 40_000);
});

test("a token of another account changes nothing until the spec names that account", async () => {
  const { control } = world.simulator;
  control.addAccount({ id: "other" });
  control.addUser("other", { username: "eve" });
  control.addToken({ token: "token-of-eve", username: "eve", account: "other" });
  await world.apply(
    ...accountObjects(world.namespace, world.simulator.token),
    world.object("SSHKey", "laptop", { sshKey }),
  );
  await world.ready("SSHKey", "laptop");

  await useToken("token-of-eve");
  const changed = await world.condition("CloudAccount", "default", "Stalled", "AccountChanged");
  await world.condition("SSHKey", "laptop", "Stalled", "AccountChanged");
  expect(control.rows("sshkey", "other")).toEqual([]);
  const named = /spec.expectedAccount: "([^"]+)"/.exec(message(changed) ?? "")?.[1];
  await world.patch("CloudAccount", "default", { spec: { expectedAccount: named } });
  await world.ready("CloudAccount", "default");
});

test("an account is let go after its users, and the token's Secret after the account", async () => {
  await world.apply(
    ...accountObjects(world.namespace, world.simulator.token),
    world.object("SSHKey", "laptop", { sshKey }),
  );
  await world.ready("SSHKey", "laptop");
  await world.remove("Secret", "cloud-token");
  await world.remove("CloudAccount", "default");
  const held = await world.condition("CloudAccount", "default", "Reconciling", "WaitingForDependents");
  expect(message(held)).toContain("SSHKey");
  expect(await world.get("Secret", "cloud-token")).toBeDefined();
  await world.remove("SSHKey", "laptop");
  await world.gone("CloudAccount", "default");
  await world.gone("Secret", "cloud-token");
  expect(world.simulator.control.rows("sshkey")).toEqual([]);
});

test("an operator that starts while an account and its objects are being deleted deletes them", async () => {
  await world.apply(
    ...accountObjects(world.namespace, world.simulator.token),
    world.object("SSHKey", "laptop", { sshKey }),
  );
  await world.ready("SSHKey", "laptop");
  await world.stopOperator();
  for (const [kind, name] of [
    ["CloudAccount", "default"],
    ["SSHKey", "laptop"],
    ["Secret", "cloud-token"],
  ] as const)
    await world.remove(kind, name);
  await world.restartOperator();
  await world.gone("SSHKey", "laptop");
  await world.gone("CloudAccount", "default");
  await world.gone("Secret", "cloud-token");
  expect(world.simulator.control.rows("sshkey")).toEqual([]);
});

test.for<{ why: string; edit: () => Promise<unknown>; asks?: boolean }>([
  {
    why: "an edit of pollSeconds",
    edit: () => world.patch("CloudAccount", "default", { spec: { pollSeconds: 30 } }),
  },
  {
    why: "a rotated token",
    edit() {
      world.simulator.control.addToken({ token: "rotated", username: "demo", account: "demo" });
      return useToken("rotated");
    },
    asks: true,
  },
])("$why lets a POST in flight end", async ({ edit, asks = false }) => {
  await world.apply(...accountObjects(world.namespace, world.simulator.token));
  await world.ready("CloudAccount", "default");
  const warnings: string[] = [];
  const note = (_fields: object, message: string) => void warnings.push(message);
  await world.restartOperator({ log: { ...quiet, warn: note } });
  const { control } = world.simulator;
  control.faults.add({ kind: "delay", ms: 4_000, operation: "POST /profile/sshkeys" });
  await world.apply(world.object("SSHKey", "laptop", { sshKey }));
  await expect.poll(() => control.faults.list()[0]?.played, { timeout: 10_000 }).toBe(1);
  const before = calls();
  await edit();
  const account = await world.get("CloudAccount", "default");
  await world.until(
    "CloudAccount",
    "default",
    ({ status }) => status?.["observedGeneration"] === account?.metadata.generation,
  );
  if (asks) await expect.poll(calls, { timeout: 10_000 }).toBeGreaterThan(before);
  expect(control.rows("sshkey"), "the POST is still in flight").toEqual([]);
  await world.ready("SSHKey", "laptop");
  expect(warnings).toEqual([]);
  expect(control.ledger({ operation: "POST /profile/sshkeys" })).toHaveLength(1);
});
