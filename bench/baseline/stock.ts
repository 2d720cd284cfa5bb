/**
 * The operator as it is mostly written: client-node's informer and CustomObjectsApi, a GET of its object in the cloud for each
 * reconcile, and each reconcile repeated by a timer. It creates and compares, and nothing more: no claims, no drift, no Secrets.
 *
 * `stock.mjs KUBECONFIG NAMESPACE CLOUD TOKEN PORT` for DomainRecords and Firewalls of a namespace. Its counters are at PORT, by the
 * names that the operator's have.
 */
import { createServer } from "node:http";
import { CustomObjectsApi, KubeConfig, makeInformer, PatchStrategy, setHeaderOptions } from "@kubernetes/client-node";
import type { KubernetesObject, V1ObjectMeta } from "@kubernetes/client-node";
import { Agent, request } from "undici";

interface Stocked extends KubernetesObject {
  metadata: V1ObjectMeta & { name: string };
  spec: Record<string, unknown> & { domainRef?: { name: string } };
  status?: { id?: string; conditions?: { type: string; status: string }[] };
}

interface StockKind {
  plural: string;
  collection: (object: Stocked) => string | undefined;
  body: (object: Stocked) => object;
}

const [kubeconfig = "", namespace = "", cloud = "", token = "", port = ""] = process.argv.slice(2);
const group = "cloudplatform.dev";
const version = "v1alpha1";
const workers = 16;
const pollMs = 60_000;
/** While what it waits for is not there. */
const waitMs = 1_000;

const counts = { calls: 0, reads: 0, writes: new Map<string, number>() };
const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const kube = config.makeApiClient(CustomObjectsApi);
const dispatcher = new Agent({ connections: workers });

/** Ids of the zones, by the name of their objects. */
const zones = new Map<string, string>();
const stockKinds: StockKind[] = [
  {
    plural: "domains",
    collection: () => "/domains",
    body: ({ spec: { soaEmail, ...spec } }) => ({ ...spec, soa_email: soaEmail }),
  },
  {
    plural: "domainrecords",
    collection: ({ spec }) => {
      const zone = zones.get(spec.domainRef?.name ?? "");
      return zone === undefined ? undefined : `/domains/${zone}/records`;
    },
    body: ({ spec: { type, name, target } }) => ({ type, name, target }),
  },
  {
    plural: "firewalls",
    collection: () => "/networking/firewalls",
    // Labels of an account are unique, and the operator beside this one creates as many.
    body: ({ metadata, spec: { inboundPolicy, outboundPolicy } }) => ({
      label: `${namespace}-${metadata.name}`,
      rules: { inbound_policy: inboundPolicy, outbound_policy: outboundPolicy },
    }),
  },
];

const waiting: (() => Promise<void>)[] = [];
let busy = 0;

function work(): void {
  while (busy < workers && waiting.length > 0) {
    busy += 1;
    void waiting
      .shift()?.()
      .finally(() => {
        busy -= 1;
        work();
      });
  }
}

for (const kind of stockKinds) {
  const known = new Map<string, Stocked>();
  const queued = new Set<string>();
  const enqueue = (name: string): void => {
    if (queued.has(name)) return;
    queued.add(name);
    waiting.push(async () => {
      queued.delete(name);
      const object = known.get(name);
      const again = object && (await reconcile(kind, object).catch(() => waitMs));
      if (again !== undefined) setTimeout(() => enqueue(name), again);
    });
    work();
  };
  const path = `/apis/${group}/${version}/namespaces/${namespace}/${kind.plural}`;
  const list = () =>
    kube.listNamespacedCustomObject({ group, version, namespace, plural: kind.plural }) as Promise<{
      items: Stocked[];
    }>;
  const informer = makeInformer<Stocked>(config, path, list);
  const changed = (object: Stocked): void => {
    const before = known.get(object.metadata.name);
    known.set(object.metadata.name, object);
    if (before?.metadata.generation !== object.metadata.generation) enqueue(object.metadata.name);
  };
  informer.on("add", changed);
  informer.on("update", changed);
  informer.on("delete", ({ metadata }) => void known.delete(metadata.name));
  informer.on("error", () => setTimeout(() => void informer.start(), waitMs));
  await informer.start();
}

/** When to reconcile it again, milliseconds. */
async function reconcile(kind: StockKind, seen: Stocked): Promise<number> {
  const { name } = seen.metadata;
  const ref = { group, version, namespace, plural: kind.plural, name };
  counts.reads += 1;
  const object = (await kube.getNamespacedCustomObject(ref)) as Stocked;
  const collection = kind.collection(object);
  if (collection === undefined) return waitMs;
  const id = object.status?.id;
  if (id === undefined) {
    const finalizers = ["example.org/stock"];
    await patch(kind, () => kube.patchNamespacedCustomObject({ ...ref, body: { metadata: { finalizers } } }, merge));
    const made = await call("POST", collection, kind.body(object));
    await setStatus(kind, ref, String(made.id));
    if (kind.plural === "domains") zones.set(name, String(made.id));
  } else {
    await call("GET", `${collection}/${id}`);
  }
  return pollMs;
}

async function setStatus(kind: StockKind, ref: { name: string }, id: string): Promise<void> {
  const lastTransitionTime = new Date().toISOString();
  const ready = { type: "Ready", status: "True", reason: "Available", message: "", lastTransitionTime };
  const place = { group, version, namespace, plural: kind.plural, name: ref.name };
  const body = { status: { id, observedGeneration: 1, conditions: [ready] } };
  await patch(kind, () => kube.patchNamespacedCustomObjectStatus({ ...place, body }, merge));
}

const merge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);

async function patch({ plural }: StockKind, send: () => Promise<unknown>): Promise<void> {
  await send();
  counts.writes.set(plural, (counts.writes.get(plural) ?? 0) + 1);
}

async function call(method: "GET" | "POST", path: string, body?: object): Promise<{ id: unknown }> {
  counts.calls += 1;
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answer = await request(`${cloud}/v4${path}`, {
    dispatcher,
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
  return JSON.parse(text) as { id: unknown };
}

createServer((_request, response) => {
  const writes = [...counts.writes].map(
    ([plural, count]) => `cloudplatform_kubernetes_writes_total{resource="${plural}"} ${count}`,
  );
  const lines = [`cloudplatform_api_requests_total{} ${counts.calls}`, ...writes];
  response.end([...lines, `rest_client_requests_total{method="GET"} ${counts.reads}`, ""].join("\n"));
}).listen(Number(port), "127.0.0.1", () => console.log("listening"));
