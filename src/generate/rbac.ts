/** Creates roles: the minimum for the operator, and roles that extend Kubernetes' view and edit roles for users. */
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

/** Namespace and user name of the operator after an installation with kustomize. */
export const operatorNamespace = "cloud-platform-system";
export const operatorUser = `system:serviceaccount:${operatorNamespace}:${operator}`;
const read = ["get", "list", "watch"];
const write = ["create", "update", "patch", "delete", "deletecollection"];

/**
 * Returns the permissions of the operator: in each watched namespace, in the cluster if the operator watches the whole
 * cluster, for its own Role in a namespace (a finalizer keeps the Role while objects need the permissions), for its
 * Lease, and for catalogs.
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
      // Deletes finished objects with spec.ttlSecondsAfterFinished.
      ...(ending.length === 0 ? [] : [allow(group, ending, ["delete"])]),
      allow("", ["secrets"], [...read, "create", "patch", "delete"]),
      ...(kinds.some(readsConfigMaps) ? [allow("", ["configmaps"], read)] : []),
      allow("", ["namespaces"], ["get"]),
      allow("events.k8s.io", ["events"], ["create", "patch"]),
    ],
    cluster: [
      allow("apiextensions.k8s.io", ["customresourcedefinitions"], ["get"]),
      // Checks whether the operator that manages an object still runs.
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

/** Lets the API server authenticate and authorise the token of a metrics reader. */
const metricsAuthRules = [
  allow("authentication.k8s.io", ["tokenreviews"], ["create"]),
  allow("authorization.k8s.io", ["subjectaccessreviews"], ["create"]),
];

/** Returns ServiceAccount, roles and bindings of the operator. Lease and key are in the operator's namespace. */
export function operatorRoles(kinds: Described[]): unknown[] {
  const { everywhere, cluster, catalogs, leases } = operatorRules(kinds);
  const key = `${operator}-installation-key`;
  // RBAC cannot restrict a create by name.
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
 * Returns roles for users. Viewer and editor extend Kubernetes' `view` and `edit`. An administrator binds the admin
 * role, which permits kinds that grant or revoke access to an account.
 */
export function peopleRoles(kinds: Described[]): unknown[] {
  const { viewer, editor, admin } = peopleRules(kinds);
  return [
    clusterRole(`${operator}-viewer`, viewer, { "rbac.authorization.k8s.io/aggregate-to-view": "true" }),
    clusterRole(`${operator}-editor`, editor, { "rbac.authorization.k8s.io/aggregate-to-edit": "true" }),
    clusterRole(`${operator}-admin`, admin),
  ];
}

/** Returns the permissions of the user roles. */
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
