import { expect } from "vitest";
import { createKubeClient } from "../../src/cluster/client.ts";
import { createEventRecorder } from "../../src/cluster/events.ts";
import { clusterTest } from "../support/namespace.ts";
import { configMaps } from "../../src/cluster/config-maps.ts";
import { createLog, realClock, transportFor } from "./support.ts";

clusterTest("the API server takes an event and its series, and kubectl shows them", async ({ cluster, namespace }) => {
  const transport = transportFor(cluster.kubeconfig);
  const client = createKubeClient(transport);
  const log = createLog();
  const reporter = { controller: "cloudplatform.dev/operator", instance: "pod-1" };
  const recorder = createEventRecorder({ client, clock: realClock, log, ...reporter });
  const made = await client.create(configMaps, { metadata: { namespace, name: "subject" } });
  const regarding = { ...made, apiVersion: "v1", kind: "ConfigMap" };
  for (let n = 0; n < 3; n++) {
    recorder.emit(regarding, { type: "Warning", reason: "Failed", action: "Create", note: "no luck" });
    await recorder.flush();
  }
  expect(log.debug).not.toHaveBeenCalled();
  const { stdout } = await cluster.kubectl(["get", "events.v1.events.k8s.io", "-n", namespace, "-o", "json"]);
  const { items } = JSON.parse(stdout) as { items: Record<string, unknown>[] };
  expect(items).toEqual([expect.objectContaining({ note: "no luck", series: expect.objectContaining({ count: 3 }) })]);
  await transport.close();
});
