import { readFileSync } from "node:fs";
import { expect } from "vitest";
import { createKubeClient } from "../../src/cluster/client.ts";
import { KubeError } from "../../src/cluster/errors.ts";
import { clusterTest } from "../support/namespace.ts";
import { configMaps } from "../../src/cluster/config-maps.ts";
import { startProxy, transportFor } from "./support.ts";

clusterTest("1,000 requests at once take at most ten TLS connections", async ({ cluster }) => {
  const proxy = await startProxy(Number(new URL(cluster.server).port));
  const transport = transportFor(cluster.kubeconfig.replace(cluster.server, `https://127.0.0.1:${proxy.port}`));
  const client = createKubeClient(transport);
  try {
    const gets = Array.from({ length: 1_000 }, () => client.raw("/api/v1/namespaces/default"));
    expect(await Promise.all(gets)).toHaveLength(1_000);
    expect(proxy.accepted()).toBeLessThanOrEqual(10);
    expect(transport.connectionsOpened()).toBe(proxy.accepted());
  } finally {
    await transport.close();
    await proxy.close();
  }
});

clusterTest(
  "a patch against a stale resourceVersion is a conflict and changes nothing",
  async ({ cluster, namespace }) => {
    const transport = transportFor(cluster.kubeconfig);
    const client = createKubeClient(transport);
    const ref = { namespace, name: "guarded" };
    const made = await client.create(configMaps, { metadata: ref, data: { n: "1" } });
    const { resourceVersion } = made.metadata;
    await client.patch(configMaps, ref, { metadata: { resourceVersion }, data: { n: "2" } });
    const late = client.patch(configMaps, ref, { metadata: { resourceVersion }, data: { n: "3" } });
    await expect(late).rejects.toMatchObject({ status: 409, reason: "Conflict", conflict: true });
    expect(await client.get(configMaps, ref)).toMatchObject({ data: { n: "2" } });
    await transport.close();
  },
);

clusterTest(
  "404 is undefined for a read and done for a delete; a second create is alreadyExists",
  async ({ cluster, namespace }) => {
    const transport = transportFor(cluster.kubeconfig);
    const client = createKubeClient(transport);
    const ref = { namespace, name: "once" };
    expect(await client.get(configMaps, ref)).toBeUndefined();
    await client.delete(configMaps, ref);
    const { metadata } = await client.create(configMaps, { metadata: ref });
    const again = await client.create(configMaps, { metadata: ref }).catch((error: unknown) => error);
    expect(again).toBeInstanceOf(KubeError);
    expect(again).toMatchObject({ alreadyExists: true, conflict: false });
    expect((again as KubeError).message).toBe('create configmaps: configmaps "once" already exists');
    await expect(client.delete(configMaps, ref, { uid: "another" })).rejects.toMatchObject({ conflict: true });
    await client.delete(configMaps, ref, { uid: metadata.uid });
    expect(await client.get(configMaps, ref)).toBeUndefined();
    await transport.close();
  },
);

clusterTest("an unknown field is written about as a warning, not refused", async ({ cluster, namespace }) => {
  const warnings: string[] = [];
  const transport = transportFor(cluster.kubeconfig, { onWarning: (text) => warnings.push(text) });
  await createKubeClient(transport).create(configMaps, { metadata: { namespace, name: "odd" }, colour: "red" });
  expect(warnings).toEqual(['unknown field "colour"']);
  await transport.close();
});

clusterTest("a service account's token lets it in", async ({ cluster, namespace }) => {
  const path = await cluster.addServiceAccount(namespace, "reader");
  const transport = transportFor(readFileSync(path, "utf8"));
  const denied = createKubeClient(transport).get(configMaps, { namespace, name: "any" });
  await expect(denied).rejects.toMatchObject({ status: 403, reason: "Forbidden" });
  await expect(denied).rejects.toThrow(`system:serviceaccount:${namespace}:reader`);
  await transport.close();
});
