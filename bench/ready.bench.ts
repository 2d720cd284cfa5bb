/** From two hundred SSHKeys created to all Ready, and what it took; beside the same writes by a bare client. */
import { resourceOf } from "../src/core/kind/resource.ts";
import { sshKey } from "../src/kinds/account/ssh-key.ts";
import { createAll, isReady, sshKeys, untilAll } from "../test/campaigns/support/fleet.ts";
import { startWorld } from "../test/support/world.ts";
import { startLocalCluster } from "../tools/local-cluster.ts";
import { alternate, figure, median, repeat } from "./support/measure.ts";

const count = 200;
const resource = resourceOf(sshKey);
const cluster = await startLocalCluster();
try {
  await cluster.kubectl(["apply", "--server-side", "-f", "crds"]);
  await cluster.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=30s"]);
  const counts = { kubeWrites: 0, kubeReads: 0, posts: 0, lists: 0 };
  let rounds = 0;
  const byOperator = async (): Promise<void> => {
    const kubeRequest = ({ verb }: { verb: string }): void => {
      if (verb.startsWith("patch") || verb === "create") counts.kubeWrites += 1;
      else if (verb === "get") counts.kubeReads += 1;
    };
    const world = await startWorld(cluster, { operator: { measures: { kubeRequest } } });
    await createAll(world, sshKeys(world, count));
    await untilAll(world, "SSHKey", count, isReady, 60_000);
    const calls = world.simulator.control.ledger({ path: "/v4/profile/sshkeys" });
    counts.posts += calls.filter(({ method }) => method === "POST").length;
    counts.lists += calls.filter(({ method }) => method === "GET").length;
    rounds += 1;
    await world.stop();
  };
  const byBareClient = async (): Promise<void> => {
    const world = await startWorld(cluster, { start: false, account: false });
    const objects = sshKeys(world, count) as { metadata: { name: string } }[];
    await createAll(world, objects);
    await repeat(count, 16, async (index) => {
      const ref = { namespace: world.namespace, name: objects[index]?.metadata.name ?? "" };
      await world.kube.patch(resource, ref, { metadata: { annotations: { bench: "x".repeat(400) } } });
      await world.kube.patch(resource, ref, { status: { id: String(index) } }, { subresource: "status" });
    });
    await world.stop();
  };
  const times = await alternate(3, { operator: byOperator, bare: byBareClient });
  figure(
    `${count} keys from created to Ready, start and end of the operator included`,
    median(times.operator),
    "ms",
    undefined,
    {
      of: "the same writes by a bare client",
      value: median(times.bare),
    },
  );
  figure("writes to the API server for each key, events included", counts.kubeWrites / rounds / count, "");
  figure("reads of single objects from it for each key", counts.kubeReads / rounds / count, "");
  figure("creations in the cloud for each key", counts.posts / rounds / count, "", { atMost: 1 });
  figure("reads of the cloud's list", counts.lists / rounds, "");
} finally {
  await cluster.stop();
}
