/** The SLAAC address of an instance. */
import { Waiting } from "../../core/kind/outcome.ts";
import type { Resolved } from "../../core/kind/reference.ts";
import { canonical } from "./address.ts";

/** Returns the SLAAC address of a managed instance. The status of the instance shows the address with a prefix length. */
export function slaacOf(instance: Resolved | undefined): string | undefined {
  if (!instance) return undefined;
  const { ipv6 } = instance.status ?? {};
  if (typeof ipv6 !== "string")
    throw new Waiting("WaitingForReference", `ComputeInstance ${instance.name} has no SLAAC address yet`, undefined, {
      byItself: true,
    });
  return canonical(ipv6.split("/")[0] ?? "");
}
