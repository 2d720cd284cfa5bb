/** In which order the operator asks the API server when it starts. */
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { sshKey } from "../../src/kinds/account/ssh-key.ts";
import { openCluster } from "../../src/wiring/cluster.ts";
import { createLog, kubeconfigOf, realClock } from "../cluster/support.ts";

const held = { holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 3 };

const lease = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { namespace: "system", name: "operator", uid: "lease", resourceVersion: "7" },
};

/** `answer` answers requests for the lease; lists get no answer. */
async function open(answer: (response: ServerResponse, number: number) => void) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://server.example");
    seen.push(`${request.method ?? ""} ${pathname.split("/").at(-1) ?? ""}`);
    if (pathname === "/probe") response.end();
    if (pathname.endsWith("/leases/operator")) answer(response, seen.filter((one) => one.endsWith("operator")).length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const opened = openCluster({
    kubeConfig: { text: kubeconfigOf(url) },
    namespaces: undefined,
    leaderElection: { namespace: "system", name: "operator" },
    kinds: [sshKey],
    disabled: [],
    mirrors: [],
    clock: realClock,
    log: createLog(),
    onRequest: undefined,
    onEventDropped: undefined,
  });
  onTestFinished(async () => {
    const cluster = await opened;
    server.closeAllConnections();
    await cluster.close();
    await new Promise((resolve) => server.close(resolve));
  });
  return { seen, opened, probe: () => fetch(`${url}/probe`) };
}

const lists = (seen: string[]) => seen.filter((one) => /sshkeys|cloudaccounts|secrets/.test(one));

test("what there is is listed after the lease was seen free: what its former holder did is in it", async () => {
  const answer = Promise.withResolvers<void>();
  const { seen, opened, probe } = await open((response) => {
    void answer.promise.then(() => response.end(JSON.stringify({ ...lease, spec: held })));
  });
  await vi.waitFor(() => expect(seen).toContain("GET operator"));
  for (let n = 0; n < 5; n += 1) await probe();
  expect(lists(seen)).toEqual([]);
  answer.resolve();
  const { leadership } = await opened;
  await leadership.acquired;
  await vi.waitFor(() => expect(lists(seen).length).toBeGreaterThanOrEqual(3));
  expect(leadership.tookOver()).toBe(false);
});

test("a lease that cannot be read keeps no list waiting, and what was listed before it could is listed anew", async () => {
  const { seen, opened } = await open((response, number) => {
    if (number === 1) response.writeHead(403).end(JSON.stringify({ kind: "Status", code: 403 }));
    else response.end(JSON.stringify({ ...lease, spec: held }));
  });
  const { leadership } = await opened;
  await vi.waitFor(() => expect(lists(seen).length).toBeGreaterThanOrEqual(3));
  await leadership.acquired;
  expect(leadership.tookOver()).toBe(true);
});
