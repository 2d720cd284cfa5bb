import { code, markdownHeader, table } from "../markdown.ts";
import { valuesSchema } from "./values-schema.ts";
import type { ValueSchema } from "./values-schema.ts";

/** The chart's page: how to install, share, upgrade and uninstall, and every value. */
export function readme(): string {
  return `${markdownHeader}${guide}\n${table(["value", "default", "what it is"], rows(valuesSchema(), ""))}`;
}

function rows(schema: ValueSchema, prefix: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    if (value.section === true) return rows(value, `${path}.`);
    const fallback = value.default === undefined || value.default === null ? "" : code(JSON.stringify(value.default));
    return [[code(path), fallback, value.description ?? ""]];
  });
}

const guide = `# cloud-platform-operator

A Kubernetes operator that runs a cloud account from custom resources. Needs Kubernetes 1.33 or newer, and Helm 4 or 3.

## Install

\`\`\`
helm install cloud-platform-operator charts/cloud-platform-operator \\
  --namespace cloud-platform-system --create-namespace \\
  --set endpoints.default.url=https://api.example.org
\`\`\`

The notes that Helm prints say how to connect an account. The namespace may enforce the Pod Security Standard
\`restricted\`. To try it without an account, set \`simulator.enabled=true\` instead of the endpoint.

## Namespaces, and several releases in one cluster

Without \`watch.namespaces\` the operator manages all namespaces, by a ClusterRole. With \`watch.namespaces\` it has a Role in each
of the namespaces. Its only ClusterRole then lets it check readers of [metrics](#metrics-and-the-network). The namespaces must exist
before. \`installationId\` is then best set, since the UID of
kube-system cannot be read with these permissions.

Several releases share a cluster as shards: each with \`watch.namespaces\` of its own. One of them brings what exists once
in a cluster (definitions, roles for people, admission policy); all others are installed with \`crds.enabled=false\`.
A namespace belongs to one release: the Role in it, like the ClusterRole of a release for all namespaces, has the same name
for every release, so that Helm refuses a second one. Where another tool lets it pass, the operators themselves still leave
alone what one that is at work has taken in.

## The installation's key

The operator signs what it notes on objects (annotation \`cloudplatform.dev/intent\`), so that nobody can claim a cloud object
by writing annotations. The key is in the Secret \`<full name>-installation-key\` of the release's namespace. The operator makes it
at its first start; Helm does not own it, so it stays when the release is uninstalled. Back it up together with the objects.
To make it yourself, or to share it among the shards of one installation that are in one namespace, set
\`installationKey.existingSecret\`:

\`\`\`
kubectl -n cloud-platform-system create secret generic my-key --from-literal=key=$(openssl rand -hex 32)
\`\`\`

An admission policy refuses changes of that annotation, and the loss of the finalizer, by others. It comes with \`crds.enabled\` and holds in the namespaces that
the release manages; for further releases set \`intentPolicy.enabled=true\`.

## Metrics and the network

The operator serves metrics over HTTPS to service accounts that may get \`/metrics\`. Bind the account of your Prometheus:

\`\`\`
kubectl create clusterrolebinding prometheus-reads-cloud-platform --serviceaccount=monitoring:prometheus-k8s \\
  --clusterrole=cloud-platform-operator-metrics-reader
\`\`\`

Whoever installs the release must be allowed to create a ClusterRole and to give the permission to create TokenReviews and
SubjectAccessReviews. Otherwise set \`metrics.secure.enabled=false\`: the operator then serves plain HTTP.

A NetworkPolicy for each program denies what the program does not need. The operator accepts connections to its metrics and its
health checks. It connects to DNS and to the ports of the API server and the cloud, at any address, since a NetworkPolicy cannot name
the API server. Add other ports by \`networkPolicy.egressPorts\`, and rules by \`networkPolicy.extraEgress\` and
\`networkPolicy.extraIngress\`. The simulator accepts connections from the release's namespace and opens none. Turn the policies off by
\`networkPolicy.enabled=false\` and \`simulator.networkPolicy.enabled=false\`.

## Upgrade

\`helm upgrade\` upgrades the definitions too. Fields are only ever added to a version, so that what is stored stays
readable. Older definitions over newer ones are refused, because the API server would drop the fields that only the newer
ones know: an older chart says so, and an admission policy stops \`helm rollback\`, \`kubectl\` and GitOps tools as well. Where
it is meant, \`helm upgrade\` with the older chart and \`crds.allowDowngrade=true\` does it.

## Uninstall

\`helm uninstall\` deletes nothing in the cloud. Before anything goes, a job searches for objects that still hold the
operator's finalizer; with them it stops, since nobody would be left to delete them, and its log says what they are. Then either

- delete the objects, which deletes what they stand for in the cloud: \`kubectl delete <kind> --all\`;
- or let go of it first, so that it stays in the cloud: set \`spec.management.deletionPolicy: Orphan\`, then delete;
- or keep the objects for another installation: \`helm uninstall --no-hooks\`, or \`uninstallGuard.enabled=false\`.

Definitions, and with them all objects, stay in the cluster unless \`crds.keep=false\` was set, and so does the Secret with the
installation's key. A later release of another
name, or in another namespace, takes them over with \`helm install --take-ownership\` (Helm 3.17 or newer).

## Values
`;
