import type { Running } from "../../running.ts";

export const RULE = { action: "ACCEPT", protocol: "TCP", addresses: { ipv4: ["0.0.0.0/0"] } };
export const RULES = { inbound_policy: "DROP", outbound_policy: "ACCEPT" };

/** So many rules that are all right. */
export function ruleTimes(count: number): unknown[] {
  return Array.from({ length: count }, () => RULE);
}

/** Creates a firewall that is assigned to these instances; answers its path. */
export async function firewall(simulator: Running, label: string, computes: number[] = []): Promise<string> {
  const { id } = await simulator.ok("POST", "/networking/firewalls", { label, rules: RULES, devices: { computes } });
  return `/networking/firewalls/${String(id)}`;
}

/** Creates an empty instance; answers its id. */
export async function instance(simulator: Running, region = "us-east"): Promise<number> {
  const { id } = await simulator.ok("POST", "/compute/instances", { region, type: "g6-nanode-1" });
  await simulator.clock.advance(5_000);
  return Number(id);
}

/** Actions of the account's events, newest first; without those of instances. */
export async function actions(simulator: Running): Promise<string[]> {
  const { data } = await simulator.ok("GET", "/account/events");
  const all = (data as { action: string }[]).map((event) => event.action);
  return all.filter((action) => !action.startsWith("compute_"));
}
