/** A thousand GETs to the API server through our transport, beside the request path of @kubernetes/client-node. */
import { CoreV1Api } from "@kubernetes/client-node";
import { createKubeClient } from "../src/cluster/client.ts";
import { configMaps } from "../src/cluster/config-maps.ts";
import { loadKubeConfig } from "../src/cluster/credentials.ts";
import { createTransport } from "../src/cluster/transport.ts";
import { systemClock } from "../src/process/clock.ts";
import { startProxy } from "../test/cluster/support.ts";
import { startLocalCluster } from "../tools/local-cluster.ts";
import { alternate, figure, median, repeat } from "./support/measure.ts";

const count = 1_000;
const parallel = 16;
const ref = { namespace: "default", name: "bench" };

const cluster = await startLocalCluster();
const [ourProxy, theirProxy] = await Promise.all([0, 1].map(() => startProxy(Number(new URL(cluster.server).port))));
if (ourProxy === undefined || theirProxy === undefined) throw new Error("no proxies");
const configVia = (port: number) =>
  loadKubeConfig({ text: cluster.kubeconfig.replaceAll(cluster.server, `https://127.0.0.1:${port}`) });
try {
  const transport = createTransport({ config: () => configVia(ourProxy.port), clock: systemClock });
  const ours = createKubeClient(transport);
  const theirs = configVia(theirProxy.port).makeApiClient(CoreV1Api);
  await ours.create(configMaps, { apiVersion: "v1", kind: "ConfigMap", metadata: ref, data: { some: "text" } });
  const times = await alternate(3, {
    ours: () => repeat(count, parallel, () => ours.get(configMaps, ref)),
    theirs: () => repeat(count, parallel, () => theirs.readNamespacedConfigMap(ref)),
  });
  const theirRate = count / (median(times.theirs) / 1000);
  const of = "@kubernetes/client-node";
  figure(
    "GETs to the API server by our transport",
    count / (median(times.ours) / 1000),
    "GET/s",
    { atLeast: theirRate },
    { of, value: theirRate },
  );
  figure(
    "connections of our transport, in all rounds",
    ourProxy.accepted(),
    "",
    { atMost: 10 },
    { of, value: theirProxy.accepted() },
  );
  await transport.close();
} finally {
  await Promise.all([ourProxy.close(), theirProxy.close()]);
  await cluster.stop();
}
