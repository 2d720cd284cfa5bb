import { code, markdownHeader, table } from "../markdown.ts";
import { valuesSchema } from "./values-schema.ts";
import type { ValueSchema } from "./values-schema.ts";

/** Returns the README of the chart: installation, shards, upgrade, uninstallation, and every value. */
export function readme(): string {
  return `${markdownHeader}${guide}\n${table(["value", "default", "description"], rows(valuesSchema(), ""))}`;
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

A Kubernetes operator that manages a cloud account with custom resources. The chart requires Kubernetes 1.33 or newer, and Helm 4 or 3.

## Install

\`\`\`
helm install cloud-platform-operator charts/cloud-platform-operator \\
  --namespace cloud-platform-system --create-namespace \\
  --set endpoints.default.url=https://api.example.org
\`\`\`

Helm then prints the next step: how to connect an account. The namespace can enforce the Pod Security Standard \`restricted\`. To test
the operator without an account, set \`simulator.enabled=true\`, and omit the endpoint.

## Namespaces, and several releases in one cluster

By default, the operator manages all namespaces with a ClusterRole. With \`watch.namespaces\`, the operator has a Role in each listed
namespace. Its only ClusterRole then checks readers of [metrics](#metrics-and-the-network). Create the namespaces before the
installation, and set \`installationId\`: with these permissions, the operator cannot read the UID of kube-system for the default.

Several releases can share a cluster as shards. Each release has its own \`watch.namespaces\`. One release installs the objects that exist
once in a cluster: definitions, roles for users, and admission policies. Install all further releases with \`crds.enabled=false\`.

A namespace belongs to one release. The Role in the namespace has the same name for every release, and so has the ClusterRole of releases
for all namespaces. Helm therefore refuses a second release. If a different tool installs a second release, an operator still does not
change the objects of a running operator.

## The installation's key

The operator signs its annotation \`cloudplatform.dev/journal\`, so a user cannot claim a cloud object with a copied annotation. The key is in
the Secret \`<full name>-installation-key\` in the namespace of the release. The operator creates the Secret at its first start. The Secret is
not part of the release, and stays after \`helm uninstall\`. Back up the Secret together with the objects.

To use your own key, or one key for several shards in one namespace, create a Secret, and set \`installationKey.existingSecret\`:

\`\`\`
kubectl -n cloud-platform-system create secret generic my-key --from-literal=key=$(openssl rand -hex 32)
\`\`\`

An admission policy permits only the operator to change the annotation and to remove the finalizer. The policy applies in the namespaces of
the release, and is part of \`crds.enabled\`. For further releases, set \`journalPolicy.enabled=true\`.

## Metrics and the network

The operator serves metrics over HTTPS to service accounts that may get \`/metrics\`. Bind the account of your Prometheus:

\`\`\`
kubectl create clusterrolebinding prometheus-reads-cloud-platform --serviceaccount=monitoring:prometheus-k8s \\
  --clusterrole=cloud-platform-operator-metrics-reader
\`\`\`

To install the release, your user must be able to create a ClusterRole, and to grant the permission to create TokenReviews and
SubjectAccessReviews. Otherwise, set \`metrics.secure.enabled=false\`: the operator then serves plain HTTP.

A NetworkPolicy for each program denies unneeded connections:

| program | incoming | outgoing |
|---|---|---|
| operator | metrics and health checks | DNS, and the ports of the API server and the cloud, at any address, because a NetworkPolicy cannot name the API server |
| simulator | connections from the namespace of the release | no connection |

Add ports with \`networkPolicy.egressPorts\`, and rules with \`networkPolicy.extraEgress\` and \`networkPolicy.extraIngress\`. To disable the
policies, set \`networkPolicy.enabled=false\` and \`simulator.networkPolicy.enabled=false\`.

## Upgrade

\`helm upgrade\` also upgrades the definitions. A new version of the chart only adds fields, so stored objects stay readable.

Older definitions cannot replace newer definitions, because the API server would drop the fields that only the newer definitions contain.
An older chart reports an error. An admission policy also stops \`helm rollback\`, \`kubectl\` and GitOps tools. To downgrade on purpose, run
\`helm upgrade\` with the older chart and \`crds.allowDowngrade=true\`.

## Uninstall

\`helm uninstall\` deletes nothing in the cloud. Before Helm deletes the release, a job searches for objects with the finalizer of the
operator. If such objects exist, the job stops the uninstallation, because no controller would delete the objects later. The log of the job
lists the objects. Choose a remedy:

- Delete the objects and their cloud objects: \`kubectl delete <kind> --all\`.
- Delete the objects and keep the cloud objects: set \`spec.management.deletionPolicy: Orphan\`, then delete the objects.
- Keep the objects for a different installation: \`helm uninstall --no-hooks\`, or \`uninstallGuard.enabled=false\`.

The definitions and all objects stay in the cluster, unless you set \`crds.keep=false\`. The Secret with the installation's key also stays. A
later release with a different name or namespace takes over the definitions with \`helm install --take-ownership\` (Helm 3.17 or newer).

## Values
`;
