import { randomUUID } from "node:crypto";
import type { Simulator } from "../../../src/simulator/simulator.ts";
import { testNamespace } from "../../support/test-namespace.ts";
import { waits } from "../../support/world.ts";
import type { World } from "../../support/world.ts";
import { kubeconfigOf, openActor, tokenOf } from "./actor.ts";
import type { Actor } from "./actor.ts";
import { addCloudAccount } from "./cloud.ts";
import type { Cloud } from "./cloud.ts";

/** A namespace with a ServiceAccount `editor`, which has the editor role of the operator and no further permission. */
export interface Tenant extends Pick<World, "until" | "ready" | "condition" | "gone"> {
  namespace: string;
  editor: Actor;
  /** An object in this namespace. By default `accountRef` names the account of `shop`. */
  object: (kind: string, name: string, spec?: object, metadata?: object) => object;
}

/** Three namespaces and one account of the cloud. */
export interface Stage {
  /** Owns the CloudAccount `default`, with the token in the Secret `cloud-token`. */
  shop: Tenant;
  /** May use the account through `sharing.namespaces`, not through `sharing.existing`. */
  teamB: Tenant;
  /** May not use the account. */
  teamC: Tenant;
  cloud: Cloud;
  /** Cluster administrator, for Secrets and CloudAccounts. */
  admin: Actor;
  /** The CloudAccount of `shop`. */
  account: object;
  /** A Secret in the namespace of a tenant. */
  secret: (tenant: Tenant, name: string, stringData: Record<string, string>) => object;
  close: () => Promise<void>;
}

interface Ground {
  admin: Actor;
  simulator: Simulator;
  server: string;
  /** Certificate authority of the API server in base64. */
  authority: string;
}

/** Makes the namespaces, the editors and the CloudAccount, and waits until the account is ready. */
export async function setStage(ground: Ground): Promise<Stage> {
  const { admin, simulator } = ground;
  const suffix = randomUUID().slice(0, 8);
  const cloud = addCloudAccount(simulator, suffix);
  const names = { shop: `shop-${suffix}`, teamB: `team-b-${suffix}`, teamC: `team-c-${suffix}` };
  const [shop, teamB, teamC] = await Promise.all([
    addTenant(ground, names.shop, names.shop),
    addTenant(ground, names.teamB, names.shop),
    addTenant(ground, names.teamC, names.shop),
  ]);
  const account = shop.object("CloudAccount", "default", {
    tokenSecretRef: { name: "cloud-token" },
    sharing: { namespaces: [names.teamB] },
  });
  const secret: Stage["secret"] = ({ namespace }, name, stringData) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace },
    stringData,
  });
  await admin.apply(secret(shop, "cloud-token", { token: cloud.token }), account);
  await shop.ready("CloudAccount", "default");
  const close = async (): Promise<void> => {
    await Promise.all([shop, teamB, teamC].map(({ editor }) => editor.close()));
  };
  return { shop, teamB, teamC, cloud, admin, account, secret, close };
}

const namespaces = { group: "", version: "v1", plural: "namespaces", kind: "Namespace", namespaced: false };
const rbac = "rbac.authorization.k8s.io";
const bindings = { group: rbac, version: "v1", plural: "rolebindings", kind: "RoleBinding", namespaced: true };

async function addTenant(ground: Ground, namespace: string, owner: string): Promise<Tenant> {
  const { admin, server, authority } = ground;
  await admin.kube.create(namespaces, testNamespace(namespace));
  await admin.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "editor", namespace } });
  await admin.kube.create(bindings, {
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata: { name: "editor", namespace },
    roleRef: { apiGroup: rbac, kind: "ClusterRole", name: "cloud-platform-operator-editor" },
    subjects: [{ kind: "ServiceAccount", name: "editor", namespace }],
  });
  const editor = openActor(kubeconfigOf(server, authority, await tokenOf(admin, namespace, "editor")));
  const accountRef = { name: "default", namespace: owner };
  return {
    namespace,
    editor,
    ...waits(admin.kube, namespace),
    object: (kind, name, spec = {}, metadata = {}) => ({
      apiVersion: "cloudplatform.dev/v1alpha1",
      kind,
      metadata: { name, namespace, ...metadata },
      spec: { ...(namespace !== owner && { accountRef }), ...spec },
    }),
  };
}
