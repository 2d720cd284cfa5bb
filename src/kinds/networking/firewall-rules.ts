/** Rules of a firewall: how they are written in a spec, on the wire, and when two lists of them say the same. */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { JsonObject } from "../../api/types.ts";
import type { Call } from "../../core/kind/call.ts";
import { orderedList, rule, setOf } from "../../core/kind/schema.ts";
import { given } from "../given.ts";
import { canonical, network } from "./address.ts";

const port = "([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])";
const portsPattern = `^${port}(-${port})?(, ?${port}(-${port})?)*$`;
const portsForm = new RegExp(portsPattern);

/** Grammar of ports: part 3, section 2.2. */
export function portsProblem(ports: string): string | undefined {
  if (!portsForm.test(ports)) return "form";
  const numbers = ports.split(/[-,]/);
  if (numbers.length > 15) return "pieces";
  const ranges = ports.split(",").filter((piece) => piece.includes("-"));
  const backwards = ranges.some((range) => {
    const [first, last] = range.split("-").map(Number);
    return first === undefined || last === undefined || first >= last;
  });
  return backwards ? "range" : undefined;
}

const portsText = z
  .string()
  .min(1)
  .max(128)
  .describe(
    "A port, a range such as 8000-8080, or a list of them with commas, at most 15 numbers; all ports if not given. For TCP and UDP only.",
  );
const portsOfForm = rule(portsText, {
  cel: `self.matches('${portsPattern}')`,
  check: (ports) => portsProblem(ports) !== "form",
  message:
    "ports must be a port (1 to 65535, without leading zeroes), a range such as 8000-8080, or a list of them with commas",
});
const portsInOrder = rule(portsOfForm, {
  cel: `!self.matches('${portsPattern}') || self.split(',').all(piece, !piece.contains('-') || int(piece.trim().split('-')[0]) < int(piece.trim().split('-')[1]))`,
  check: (ports) => portsProblem(ports) !== "range",
  message: "ports: the end of a range must be greater than its start",
});
const ports = rule(portsInOrder, {
  cel: "size(self.replace('-', ',').split(',')) <= 15",
  check: (value) => portsProblem(value) !== "pieces",
  message: "ports must have at most 15 pieces, where a range counts as two",
});

const fields = z.object({
  action: z.enum(["ACCEPT", "DROP"]).describe("What happens to the traffic that the rule matches."),
  protocol: z.enum(["TCP", "UDP", "ICMP", "IPENCAP"]).describe("Protocol that the rule matches."),
  ports: ports.optional(),
  ipv4: setOf(network("An IPv4 network, or one address as a /32; 0.0.0.0/0 is all.", 4), 255)
    .min(1)
    .describe("IPv4 networks on the other side.")
    .optional(),
  ipv6: setOf(network("An IPv6 network, or one address as a /128; ::/0 is all.", 6), 255)
    .min(1)
    .describe("IPv6 networks on the other side.")
    .optional(),
  label: z.string().min(3).max(32).describe("Name of the rule, for people.").optional(),
  description: z.string().min(1).max(100).describe("What the rule is for.").optional(),
});

const withFamily = rule(fields, {
  cel: "has(self.ipv4) || has(self.ipv6)",
  check: ({ ipv4, ipv6 }) => ipv4 !== undefined || ipv6 !== undefined,
  message: "at least one of ipv4 and ipv6 must be given",
});
const withCount = rule(withFamily, {
  cel: "(has(self.ipv4) ? size(self.ipv4) : 0) + (has(self.ipv6) ? size(self.ipv6) : 0) <= 255",
  check: ({ ipv4, ipv6 }) => (ipv4?.length ?? 0) + (ipv6?.length ?? 0) <= 255,
  message: "ipv4 and ipv6 may hold at most 255 networks together",
});
const firewallRule = rule(withCount, {
  cel: "!has(self.ports) || self.protocol in ['TCP', 'UDP']",
  check: (one) => one.ports === undefined || one.protocol === "TCP" || one.protocol === "UDP",
  message: "ports may be given only for the protocols TCP and UDP",
});

type FirewallRule = z.output<typeof firewallRule>;

/** Rules of one direction, in the order in which they apply. */
export function ruleList(description: string) {
  return orderedList(firewallRule, 25).describe(description);
}

export interface RulesOfSpec {
  inboundPolicy: string;
  outboundPolicy: string;
  inbound?: FirewallRule[] | undefined;
  outbound?: FirewallRule[] | undefined;
}

/** Body of the rules: all four members, for a PUT replaces everything. */
export function wantedRules({ inboundPolicy, outboundPolicy, inbound = [], outbound = [] }: RulesOfSpec): JsonObject {
  return {
    inbound: inbound.map(ruleBody),
    inbound_policy: inboundPolicy,
    outbound: outbound.map(ruleBody),
    outbound_policy: outboundPolicy,
  };
}

function ruleBody({ action, protocol, ports: text, ipv4, ipv6, label, description }: FirewallRule): JsonObject {
  return given({
    action,
    protocol,
    ports: text?.replaceAll(" ", ""),
    addresses: given({ ipv4: ipv4 && spelled(ipv4), ipv6: ipv6 && spelled(ipv6) }),
    label,
    description,
  });
}

const knownRule = z.object({
  action: z.string(),
  protocol: z.string(),
  ports: z.string().nullish(),
  addresses: z.object({ ipv4: z.array(z.string()).nullish(), ipv6: z.array(z.string()).nullish() }).nullish(),
  label: z.string().nullish(),
  description: z.string().nullish(),
});

/** A rule of a form that is not known here says something that nobody wanted: it never hides, and never counts as the same. */
const unknownRule = z.unknown().transform((rule) => ({ unknown: JSON.stringify(rule ?? null).slice(0, 500) }));

const wireRuleList = z.array(z.union([knownRule, unknownRule])).nullish();

/** The rules in a row of the list. */
export const wireRules = z.object({
  inbound: wireRuleList,
  inbound_policy: z.string().nullish(),
  outbound: wireRuleList,
  outbound_policy: z.string().nullish(),
});

type WireRule = z.output<typeof knownRule> | z.output<typeof unknownRule>;

/** Replaces the rules there, unless they say what is wanted; spelling and empty members aside. */
export function ruleCalls(
  path: string,
  body: JsonObject,
  there: z.output<typeof wireRules> | null | undefined,
): Call[] {
  if (isDeepStrictEqual(rulesInWords(wireRules.parse(body)), rulesInWords(there))) return [];
  return [{ method: "PUT", path, body, action: "UpdateRules", note: "rules replaced" }];
}

/** Rules as a spec says them: two lists that read alike mean the same. */
export function rulesInWords(rules: z.output<typeof wireRules> | null | undefined): JsonObject {
  const { inbound_policy, inbound, outbound_policy, outbound } = rules ?? {};
  return given({
    inboundPolicy: inbound_policy ?? undefined,
    outboundPolicy: outbound_policy ?? undefined,
    inbound: (inbound ?? []).map(ruleInWords),
    outbound: (outbound ?? []).map(ruleInWords),
  });
}

function ruleInWords(one: WireRule): JsonObject {
  if ("unknown" in one) return one;
  const { action, protocol, ports: text, addresses, label, description } = one;
  const { ipv4, ipv6 } = addresses ?? {};
  return given({
    action,
    protocol,
    ports: text?.replaceAll(" ", "") || undefined,
    ipv4: ipv4?.length ? spelled(ipv4) : undefined,
    ipv6: ipv6?.length ? spelled(ipv6) : undefined,
    label: label || undefined,
    description: description || undefined,
  });
}

function spelled(networks: string[]): string[] {
  return networks.map(canonical).sort();
}
