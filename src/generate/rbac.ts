/** Roles: what the operator uses and no more, and what people get through Kubernetes' own view and edit roles. */
import type { Described } from "../core/define-kind.ts";
import { group } from "../core/environment.ts";

interface PolicyRule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

const apiVersion = "rbac.authorization.k8s.io/v1";
const operator = "cloud-platform-operator";
const read = ["get", "list", "watch"];
const write = ["create", "update", "patch", "delete", "deletecollection"];

/** ServiceAccount, roles and bindings of the operator. Leases are in its own namespace, everything else may be in any. */
export function operatorRoles(kinds: Described[]): unknown[] {
  const names = kinds.map(({ plural }) => plural);
  const kept = kinds.filter(({ scope }) => scope === "Cluster").map(({ plural }) => plural);
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: operator } },
    clusterRole(operator, [
      allow(group, names, [...read, "patch"]),
      ...(kept.length > 0 ? [allow(group, kept, ["create", "delete"])] : []),
      allow(group, suffixed(names, "status"), ["patch"]),
      allow("", ["secrets"], [...read, "create", "patch"]),
      allow("", ["namespaces"], ["get"]),
      allow("apiextensions.k8s.io", ["customresourcedefinitions"], ["get"]),
      allow("events.k8s.io", ["events"], ["create", "patch"]),
    ]),
    binding("ClusterRoleBinding", "ClusterRole", operator),
    {
      apiVersion,
      kind: "Role",
      metadata: { name: `${operator}-leases` },
      rules: [allow("coordination.k8s.io", ["leases"], ["get", "create", "patch"])],
    },
    binding("RoleBinding", "Role", `${operator}-leases`),
  ];
}

/**
 * Roles for people. Viewer and editor add themselves to Kubernetes' `view` and `edit`; what gives or takes access to an
 * account is left to those who are bound to the admin role by hand.
 */
export function peopleRoles(kinds: Described[]): unknown[] {
  const namespaced = kinds.filter(({ scope }) => scope !== "Cluster");
  const all = namespaced.map(({ plural }) => plural);
  const everyday = namespaced.filter((kind) => kind.guardsAccess !== true).map(({ plural }) => plural);
  const clusterScoped = kinds.filter(({ scope }) => scope === "Cluster").map(({ plural }) => plural);
  return [
    clusterRole(`${operator}-viewer`, [allow(group, [...all, ...clusterScoped].sort(), read)], {
      "rbac.authorization.k8s.io/aggregate-to-view": "true",
    }),
    clusterRole(`${operator}-editor`, [allow(group, everyday, [...read, ...write])], {
      "rbac.authorization.k8s.io/aggregate-to-edit": "true",
    }),
    clusterRole(`${operator}-admin`, [allow(group, all, [...read, ...write])]),
  ];
}

function allow(apiGroup: string, resources: string[], verbs: string[]): PolicyRule {
  return { apiGroups: [apiGroup], resources, verbs };
}

function suffixed(names: string[], subresource: string): string[] {
  return names.map((name) => `${name}/${subresource}`);
}

function clusterRole(name: string, rules: PolicyRule[], labels?: Record<string, string>) {
  return { apiVersion, kind: "ClusterRole", metadata: { name, ...(labels && { labels }) }, rules };
}

/** The subject's namespace is the one that kustomize or Helm sets. */
function binding(kind: "ClusterRoleBinding" | "RoleBinding", roleKind: "ClusterRole" | "Role", name: string) {
  return {
    apiVersion,
    kind,
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: roleKind, name },
    subjects: [{ kind: "ServiceAccount", name: operator, namespace: operator }],
  };
}
