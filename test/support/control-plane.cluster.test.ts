import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startControlPlane } from "./control-plane.ts";
import type { OwnControlPlane } from "./control-plane.ts";
import { clusterTest } from "./namespace.ts";

describe("a control plane of one's own", () => {
  let own: OwnControlPlane;

  beforeAll(async () => {
    own = await startControlPlane({ auditLog: true });
  });
  afterAll(() => own.stop());

  it("keeps address, certificates and data over a crash of the API server", async () => {
    await own.kubectl(["create", "configmap", "kept", "--from-literal=a=1"]);
    await own.killApiServer();
    expect((await own.kubectl(["get", "configmap", "kept"])).code).not.toBe(0);
    await own.restartApiServer();
    const { stdout } = await own.kubectl(["get", "configmap", "kept", "-o", "jsonpath={.data.a}"]);
    expect(stdout).toBe("1");
  });

  it("lets a user without roles do nothing", async () => {
    const stranger = await own.addUser("stranger");
    const { code, stderr } = await own.kubectl(["get", "pods", `--kubeconfig=${stranger}`]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('User "stranger" cannot list resource "pods"');
  });
});

clusterTest("the audit log tells who wrote what", async ({ cluster, namespace }) => {
  await cluster.kubectl(["create", "configmap", "seen", "-n", namespace]);
  const writes = cluster.auditLog().filter((entry) => entry.namespace === namespace && entry.resource === "configmaps");
  expect(writes).toContainEqual(
    expect.objectContaining({
      verb: "create",
      user: "admin",
      userAgent: expect.stringContaining("kubectl"),
      code: 201,
    }),
  );
});

clusterTest("a service account acts by its own name and rights", async ({ cluster, namespace }) => {
  const kubeconfig = await cluster.addServiceAccount(namespace, "operator");
  const { stdout } = await cluster.kubectl([
    "auth",
    "whoami",
    "-o",
    "jsonpath={.status.userInfo.username}",
    `--kubeconfig=${kubeconfig}`,
  ]);
  expect(stdout).toBe(`system:serviceaccount:${namespace}:operator`);
  const denied = await cluster.kubectl(["get", "secrets", "-n", namespace, `--kubeconfig=${kubeconfig}`]);
  expect(denied.stderr).toContain("Forbidden");
});

clusterTest("each test has a namespace of its own", async ({ cluster, namespace }) => {
  const { stdout } = await cluster.kubectl(["get", "namespace", namespace, "-o", "jsonpath={.status.phase}"]);
  expect(stdout).toBe("Active");
});
