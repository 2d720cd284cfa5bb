/** Checks the permissions of the operator in the namespace, and the permissions of the user. */
import type { KubeClient, KubeObject, Resource } from "../../cluster/types.ts";
import { isKubeError } from "../../core/kind/outcome.ts";
import { group } from "../../core/kind/resource.ts";
import { operatorRules } from "../../generate/rbac.ts";
import { namedKinds } from "../objects.ts";
import { ok, unknown, wrong } from "./finding.ts";
import type { Finding } from "./finding.ts";

interface Attributes {
  namespace: string;
  group: string;
  resource: string;
  subresource?: string;
  verb: string;
}

const api = { group: "authorization.k8s.io", version: "v1", namespaced: false };
const ofUser: Resource = { ...api, plural: "selfsubjectaccessreviews", kind: "SelfSubjectAccessReview" };
const ofOther: Resource = { ...api, plural: "subjectaccessreviews", kind: "SubjectAccessReview" };
const pods: Resource = { group: "", version: "v1", plural: "pods", kind: "Pod", namespaced: true };

/** Checks the rules of the role of the operator, for the service account of the pod with the lease. */
export async function checkOperator(
  kube: KubeClient,
  namespace: string,
  lease: KubeObject | undefined,
): Promise<Finding[]> {
  const check = "permissions";
  const user = lease && (await unlessForbidden(userOf(kube, lease)));
  if (user === undefined) return [unknown(check, "the service account of the operator is not known")];
  const refused = await unlessForbidden(
    refusedOf(kube, wantedIn(namespace), (resourceAttributes) => ({ user, resourceAttributes })),
  );
  if (refused === undefined) return [unknown(check, "you may not create a SubjectAccessReview")];
  const [first] = refused;
  if (first === undefined) return [ok(check, `${user} has all permissions in namespace ${namespace}`)];
  const more = refused.length > 1 ? ` and ${refused.length - 1} more permissions` : "";
  const text = `${user} may not ${first.verb} ${first.resource} in namespace ${namespace}${more}`;
  return [wrong(check, text, "Install the operator for the namespace again: helm upgrade with watch.namespaces")];
}

/** Checks the permissions that the commands need. A missing permission of the user is no problem of the installation. */
export async function checkUser(kube: KubeClient, namespace: string): Promise<Finding[]> {
  const wanted = [
    ...namedKinds
      .filter(({ scope }) => scope !== "Cluster")
      .flatMap(({ plural }) => ["list", "patch"].map((verb) => ({ namespace, group, resource: plural, verb }))),
    { namespace, group: "", resource: "secrets", verb: "get" },
    { namespace, group: "events.k8s.io", resource: "events", verb: "list" },
  ];
  const refused = await refusedOf(kube, wanted, (resourceAttributes) => ({ resourceAttributes }));
  const [first] = refused;
  if (first === undefined) return [ok("you", `you may read and change all objects of namespace ${namespace}`)];
  const more = refused.length > 1 ? ` and ${refused.length - 1} more permissions` : "";
  return [unknown("you", `you may not ${first.verb} ${first.resource} in namespace ${namespace}${more}`)];
}

function wantedIn(namespace: string): Attributes[] {
  return operatorRules([...namedKinds]).everywhere.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((of) =>
      resources.flatMap((whole) => {
        const [resource = "", subresource] = whole.split("/");
        const about = { namespace, group: of, resource, ...(subresource !== undefined && { subresource }) };
        return verbs.map((verb) => Object.assign({ verb }, about));
      }),
    ),
  );
}

/** Returns the refused permissions. Sends a few requests at the same time. */
async function refusedOf(
  kube: KubeClient,
  wanted: readonly Attributes[],
  specOf: (one: Attributes) => { user?: string; resourceAttributes: Attributes },
): Promise<Attributes[]> {
  const refused: Attributes[] = [];
  const waiting = [...wanted];
  const work = async (): Promise<void> => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
      const spec = specOf(one);
      const resource = spec.user === undefined ? ofUser : ofOther;
      const apiVersion = `${api.group}/${api.version}`;
      const { status } = await kube.create(resource, { apiVersion, kind: resource.kind, metadata: {}, spec });
      if ((status as { allowed?: boolean } | undefined)?.allowed !== true) refused.push(one);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return refused;
}

/** Returns the user name of the service account of the pod with the lease; undefined outside of a pod. */
async function userOf(kube: KubeClient, { metadata, spec }: KubeObject): Promise<string | undefined> {
  const { holderIdentity = "" } = (spec ?? {}) as { holderIdentity?: string };
  const { namespace = "" } = metadata;
  const pod = await kube.get(pods, { namespace, name: holderIdentity.split("_")[0] ?? "" });
  const { serviceAccountName } = (pod?.spec ?? {}) as { serviceAccountName?: string };
  return serviceAccountName === undefined ? undefined : `system:serviceaccount:${namespace}:${serviceAccountName}`;
}

async function unlessForbidden<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (isKubeError(error) && error.status === 403) return undefined;
    throw error;
  }
}
