import { request } from "node:https";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tokenOf } from "./support/actor.ts";
import { lines } from "./support/cloud.ts";
import { startInstallation, system } from "./support/installation.ts";
import type { Installation } from "./support/installation.ts";
import { publicKey, zone } from "./support/orders.ts";
import type { Stage } from "./support/stage.ts";

/** The harness of this folder: roles, policies, processes, and the proxy that silences a watch. */
let installation: Installation;
let stage: Stage;

beforeAll(async () => {
  installation = await startInstallation();
  stage = await installation.stage();
});
afterAll(() => installation.stop());

test("an editor of the account's own namespace and an editor of team-b get what they order", async () => {
  const { shop, teamB, cloud } = stage;
  await shop.editor.apply(shop.object("SSHKey", "own", { sshKey: publicKey }));
  await shop.ready("SSHKey", "own");
  await teamB.editor.apply(teamB.object("Domain", "zone", zone("team-b.example")));
  await teamB.ready("Domain", "zone");
  expect(cloud.rows("sshkey")).toHaveLength(1);
  expect(cloud.rows("domain")).toHaveLength(1);
  expect(lines(cloud.naming("team-b.example"))).toEqual([expect.stringMatching("^POST /v4/domains 200")]);
});

test("an editor may neither read Secrets nor write CloudAccounts", async () => {
  const { shop, secret, account } = stage;
  await expect(shop.editor.get(secret(shop, "cloud-token", {}))).rejects.toThrow("secrets");
  await expect(shop.editor.apply(account)).rejects.toThrow("cloudaccounts");
});

test("the operator works with the permissions of its ServiceAccount and under its Lease", async () => {
  const { admin, operator } = installation;
  const leases = { group: "coordination.k8s.io", version: "v1", plural: "leases", kind: "Lease", namespaced: true };
  const lease = await admin.kube.get(leases, { namespace: system, name: "cloud-platform-operator" });
  expect(lease?.spec?.["holderIdentity"]).toBeTruthy();
  expect(operator().lines().join("\n")).not.toContain("orbidden");
});

test("the policies are enforced: an editor cannot delete a protected object", async () => {
  const { shop } = stage;
  const kept = shop.object("SSHKey", "kept", { sshKey: `${publicKey} kept`, management: { protect: true } });
  await shop.editor.apply(kept);
  await expect(shop.editor.remove(kept)).rejects.toThrow("spec.management.protect");
});

test("a stalled watch keeps changes from the operator, which arrive when the watch is released", async () => {
  const { shop, cloud } = stage;
  const { proxy } = installation;
  expect(proxy.watches("sshkeys")).toBe(1);
  proxy.stall("sshkeys");
  await shop.editor.apply(shop.object("SSHKey", "late", { sshKey: `${publicKey} late` }));
  await shop.editor.apply(shop.object("Domain", "prompt", zone("prompt.example")));
  await shop.ready("Domain", "prompt");
  expect(cloud.rows("sshkey").map(({ label }) => label)).not.toContain("late");
  proxy.release("sshkeys");
  await shop.ready("SSHKey", "late");
});

const roles = { group: "rbac.authorization.k8s.io", version: "v1", namespaced: false };

test("the metrics endpoint is HTTPS, and answers 401 without a token and 200 to a user who may read it", async () => {
  const { admin, metricsPort } = installation;
  const { shop } = stage;
  const metadata = { name: "metrics-of-the-test" };
  const apiVersion = "rbac.authorization.k8s.io/v1";
  await admin.kube.create(
    { ...roles, plural: "clusterroles", kind: "ClusterRole" },
    { apiVersion, kind: "ClusterRole", metadata, rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }] },
  );
  await admin.kube.create(
    { ...roles, plural: "clusterrolebindings", kind: "ClusterRoleBinding" },
    {
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata,
      roleRef: { apiGroup: roles.group, kind: "ClusterRole", name: metadata.name },
      subjects: [{ kind: "ServiceAccount", name: "editor", namespace: shop.namespace }],
    },
  );
  const [reader, other] = [stage.shop, stage.teamC].map(({ namespace }) => tokenOf(admin, namespace, "editor"));
  expect(await metricsStatus(metricsPort)).toBe(401);
  expect(await metricsStatus(metricsPort, await other)).toBe(403);
  await expect.poll(async () => metricsStatus(metricsPort, await reader)).toBe(200);
});

function metricsStatus(port: number, token?: string): Promise<number | undefined> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const options = { host: "127.0.0.1", port, path: "/metrics", agent: false, headers, rejectUnauthorized: false };
  return new Promise((resolve, reject) => {
    request(options, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .once("error", reject)
      .end();
  });
}
