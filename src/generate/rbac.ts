/** Roles: what the operator uses and no more, and what people get through Kubernetes' own view and edit roles. */
import type { Described } from "../core/kind/described.ts";
import { readsConfigMaps } from "../core/kind/reference.ts";
import { group } from "../core/kind/resource.ts";

interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

interface NonResourceRule {
  nonResourceURLs: string[];
  verbs: string[];
}

const apiVersion = "rbac.authorization.k8s.io/v1";
const operator = "cloud-platform-operator";

/** Where the operator is when kustomize installs it, and who it is to the API server. */
export const operatorNamespace = "cloud-platform-system";
export const operatorUser = `system:serviceaccount:${operatorNamespace}:${operator}`;
const read = ["get", "list", "watch"];
const write = ["create", "update", "patch", "delete", "deletecollection"];

/**
 * What the operator may do: in each namespace it watches, in the cluster where it watches all, in a namespace whose own
 * Role gives these permissions (it is held while they are needed), with its Lease, and with the catalogs it writes.
 */
export function operatorRules(
  kinds: Described[],
): Record<"everywhere" | "cluster" | "catalogs" | "namespaced" | "leases", PolicyRule[]> {
  const kept = kinds.filter(({ scope }) => scope === "Cluster").map(({ plural }) => plural);
  const namespaced = kinds.filter(({ scope }) => scope !== "Cluster").map(({ plural }) => plural);
  const ending = kinds.filter((kind) => "shape" in kind && kind.shape === "once").map(({ plural }) => plural);
  return {
    everywhere: [
      allow(group, namespaced, [...read, "patch"]),
      allow(group, suffixed(namespaced, "status"), ["patch"]),
      // What has run, where spec.ttlSecondsAfterFinished asks for it.
      ...(ending.length === 0 ? [] : [allow(group, ending, ["delete"])]),
      allow("", ["secrets"], [...read, "create", "patch", "delete"]),
      ...(kinds.some(readsConfigMaps) ? [allow("", ["configmaps"], read)] : []),
      allow("", ["namespaces"], ["get"]),
      allow("events.k8s.io", ["events"], ["create", "patch"]),
    ],
    cluster: [
      allow("apiextensions.k8s.io", ["customresourcedefinitions"], ["get"]),
      // Whether another operator, which took an object in, is still there.
      allow("coordination.k8s.io", ["leases"], ["get"]),
    ],
    catalogs: [
      allow(group, kept, [...read, "patch", "create", "delete"]),
      allow(group, suffixed(kept, "status"), ["patch"]),
    ],
    namespaced: [
      { ...allow("rbac.authorization.k8s.io", ["roles", "rolebindings"], ["get", "patch"]), resourceNames: [operator] },
    ],
    leases: [allow("coordination.k8s.io", ["leases"], ["get", "create", "patch"])],
  };
}

/** The operator asks the API server whose token a reader of metrics sends, and whether that user may read them. */
const metricsAuthRules = [
  allow("authentication.k8s.io", ["tokenreviews"], ["create"]),
  allow("authorization.k8s.io", ["subjectaccessreviews"], ["create"]),
];

/** ServiceAccount, roles and bindings of the operator. Lease and key are in its own namespace, everything else may be in any. */
export function operatorRoles(kinds: Described[]): unknown[] {
  const { everywhere, cluster, catalogs, leases } = operatorRules(kinds);
  const key = `${operator}-installation-key`;
  // No name can be required of what is created.
  const keyRules = [{ ...allow("", ["secrets"], ["get"]), resourceNames: [key] }, allow("", ["secrets"], ["create"])];
  const auth = `${operator}-metrics-auth`;
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: operator } },
    clusterRole(operator, [...everywhere, ...cluster, ...catalogs]),
    binding("ClusterRoleBinding", "ClusterRole", operator),
    { apiVersion, kind: "Role", metadata: { name: `${operator}-leases` }, rules: leases },
    binding("RoleBinding", "Role", `${operator}-leases`),
    { apiVersion, kind: "Role", metadata: { name: key }, rules: keyRules },
    binding("RoleBinding", "Role", key),
    clusterRole(auth, metricsAuthRules),
    binding("ClusterRoleBinding", "ClusterRole", auth),
    clusterRole(`${operator}-metrics-reader`, [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }]),
  ];
}

/**
 * Roles for people. Viewer and editor add themselves to Kubernetes' `view` and `edit`; what gives or takes access to an
 * account is left to those who are bound to the admin role by hand.
 */
export function peopleRoles(kinds: Described[]): unknown[] {
  const { viewer, editor, admin } = peopleRules(kinds);
  return [
    clusterRole(`${operator}-viewer`, viewer, { "rbac.authorization.k8s.io/aggregate-to-view": "true" }),
    clusterRole(`${operator}-editor`, editor, { "rbac.authorization.k8s.io/aggregate-to-edit": "true" }),
    clusterRole(`${operator}-admin`, admin),
  ];
}

/** What the roles for people allow. */
export function peopleRules(kinds: Described[]): Record<"viewer" | "editor" | "admin", PolicyRule[]> {
  const namespaced = kinds.filter(({ scope }) => scope !== "Cluster");
  const all = namespaced.map(({ plural }) => plural);
  const everyday = namespaced.filter((kind) => kind.guardsAccess !== true).map(({ plural }) => plural);
  const clusterScoped = kinds.filter(({ scope }) => scope === "Cluster").map(({ plural }) => plural);
  return {
    viewer: [allow(group, [...all, ...clusterScoped].sort(), read)],
    editor: [allow(group, everyday, [...read, ...write])],
    admin: [allow(group, all, [...read, ...write])],
  };
}

function allow(apiGroup: string, resources: string[], verbs: string[]): PolicyRule {
  return { apiGroups: [apiGroup], resources, verbs };
}

function suffixed(names: string[], subresource: string): string[] {
  return names.map((name) => `${name}/${subresource}`);
}

function clusterRole(name: string, rules: (PolicyRule | NonResourceRule)[], labels?: Record<string, string>) {
  return { apiVersion, kind: "ClusterRole", metadata: { name, ...(labels && { labels }) }, rules };
}

function binding(kind: "ClusterRoleBinding" | "RoleBinding", roleKind: "ClusterRole" | "Role", name: string) {
  return {
    apiVersion,
    kind,
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: roleKind, name },
    subjects: [{ kind: "ServiceAccount", name: operator, namespace: operatorNamespace }],
  };
}
