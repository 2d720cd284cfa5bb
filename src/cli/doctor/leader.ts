/** Checks by its Lease whether an operator runs and watches the namespace. */
import { leases, namespacesAnnotation } from "../../cluster/lease.ts";
import type { KubeClient, KubeObject } from "../../cluster/types.ts";
import { isKubeError } from "../../core/kind/outcome.ts";
import type { Clock } from "../../queue/clock.ts";
import { quoted } from "../shell.ts";
import { ok, unknown, wrong } from "./finding.ts";
import type { Finding } from "./finding.ts";

const check = "leader";

/** Longest age of a renewal that needs no second read, milliseconds. An operator renews every two seconds. */
const freshMs = 60_000;
const secondReadMs = 8_000;

interface LeaseSpec {
  holderIdentity?: string;
  renewTime?: string;
}

export interface Leader {
  findings: Finding[];
  /** The lease of the operator that watches the namespace. */
  lease?: KubeObject;
}

/** `namespace`: undefined for all namespaces. */
export async function checkLeader(kube: KubeClient, clock: Clock, namespace: string | undefined): Promise<Leader> {
  const found = await leasesIn(kube);
  if (found === "forbidden") return { findings: [unknown(check, "you may not list leases in the cluster")] };
  const held = found.filter((lease) => watches(lease, namespace) && specOf(lease).holderIdentity);
  const [first] = held;
  if (!first) return { findings: [withoutLeader(found, namespace)] };
  const renewed = await Promise.all(held.map((one) => isRenewed(kube, clock, one)));
  // An uninstalled operator leaves its lease.
  const lease = held.find((_, at) => renewed[at]) ?? first;
  const { holderIdentity = "" } = specOf(lease);
  const name = `${lease.metadata.namespace}/${lease.metadata.name}`;
  if (renewed.includes(true))
    return { findings: [ok(check, `${holderIdentity.split("_")[0]} holds the lease ${name}`)], lease };
  const text = `the operator ${holderIdentity} does not renew the lease ${name}`;
  return {
    findings: [
      wrong(check, text, `Read the state of its pod: kubectl get pods -n ${quoted(lease.metadata.namespace ?? "")}`),
    ],
  };
}

function withoutLeader(found: KubeObject[], namespace: string | undefined): Finding {
  const install = "Install the operator, or read the state of its pods";
  if (found.length === 0)
    return unknown(check, "no operator has a lease. Without --leader-elect, an operator runs without a lease");
  if (found.some((lease) => watches(lease, namespace)))
    return wrong(
      check,
      "no operator holds the lease",
      `${install}: kubectl get pods -n ${quoted(found[0]?.metadata.namespace ?? "")}`,
    );
  const watched = found.map(({ metadata }) => metadata.annotations?.[namespacesAnnotation]).join(", ");
  const text = `no operator watches namespace ${namespace ?? "of all"}. The operators watch: ${watched}`;
  return wrong(check, text, "Add the namespace to watch.namespaces in the values of the chart");
}

/** Returns the leases of operators. */
async function leasesIn(kube: KubeClient): Promise<KubeObject[] | "forbidden"> {
  try {
    const all = await kube.list(leases, {});
    return all.filter(({ metadata }) => metadata.annotations?.[namespacesAnnotation] !== undefined);
  } catch (error) {
    if (isKubeError(error) && error.status === 403) return "forbidden";
    throw error;
  }
}

function watches({ metadata }: KubeObject, namespace: string | undefined): boolean {
  const named = metadata.annotations?.[namespacesAnnotation] ?? "";
  return named === "" || namespace === undefined || named.split(",").includes(namespace);
}

/** The clocks of the cluster and of this machine can differ, so an old renewal is read a second time. */
async function isRenewed(kube: KubeClient, clock: Clock, lease: KubeObject): Promise<boolean> {
  const { renewTime = "" } = specOf(lease);
  const age = clock.date().getTime() - Date.parse(renewTime);
  if (Math.abs(age) < freshMs) return true;
  await new Promise<void>((resolve) => clock.schedule(secondReadMs, resolve));
  const { namespace = "", name } = lease.metadata;
  const later = await kube.get(leases, { namespace, name });
  return later !== undefined && specOf(later).renewTime !== renewTime;
}

function specOf({ spec }: KubeObject): LeaseSpec {
  return spec ?? {};
}
