/** Rules of a firewall: the form in a spec, the form on the wire, and their comparison. */
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { asValue } from "../../core/kind/leaf-class.ts";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call, Detail } from "../../core/kind/call.ts";
import { allowedFor, atLeastOneEntry, atMostTogether, belonging } from "../../core/kind/rules.ts";
import { initially, matching, orderedList, rule, setOf } from "../../core/kind/schema.ts";
import { absentOrEmpty } from "../absent.ts";
import { given, picked, told } from "../given.ts";
import type { Resolved } from "../../core/kind/reference.ts";
import type { FindExported } from "../../core/kind/export-part.ts";
import { addressReference, addressRefs, networksOf } from "./address-ref.ts";
import { referencesAmong } from "./exported-refs.ts";
import { canonical, network } from "./address.ts";

const port = "([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])";
const portsForm = `^${port}(-${port})?(, ?${port}(-${port})?)*$`;

/** Grammar of ports: part 3, section 2.2. */
const portsOfForm = matching(
  asValue(z.string().min(1).max(128)).describe(
    "A port, a range such as 8000-8080, or a comma-separated list of ports and ranges with at most 15 numbers. Defaults to all ports.",
  ),
  portsForm,
  "ports must be a port (1 to 65535, without leading zeroes), a range such as 8000-8080, or a list of them with commas",
);
const portsInOrder = rule(portsOfForm, {
  cel: `!self.matches('${portsForm}') || self.split(',').all(piece, !piece.contains('-') || int(piece.trim().split('-')[0]) < int(piece.trim().split('-')[1]))`,
  check: (list) => !list.split(",").some(isBackwards),
  message: "ports: the end of a range must be greater than its start",
});
const portList = rule(portsInOrder, {
  cel: "size(self.replace('-', ',').split(',')) <= 15",
  check: (list) => list.split(/[-,]/).length <= 15,
  message: "ports must have at most 15 pieces, where a range counts as two",
});

function isBackwards(piece: string): boolean {
  const [first = 0, last = Infinity] = piece.split("-").map(Number);
  return first >= last;
}

const verdict = z.enum(["ACCEPT", "DROP"]);
const networks = (one: string, family: 4 | 6) =>
  setOf(asValue(network(one, family)), 255)
    .describe(
      `IPv${family} networks of the remote side: sources of incoming traffic, destinations of outgoing traffic. Each network is in CIDR form, such as ${family === 4 ? "192.0.2.0/24. One address is 192.0.2.1/32" : "2001:db8::/64. One address is 2001:db8::1/128"}.`,
    )
    .optional();

const fields = {
  action: verdict.describe("Action for the traffic that the rule matches."),
  protocol: z.enum(["TCP", "UDP", "ICMP", "IPENCAP"]).describe("Protocol of the traffic that the rule matches."),
  ports: allowedFor(["TCP", "UDP"], portList),
  ipv4: networks("An IPv4 network with a prefix length. 0.0.0.0/0 means every address.", 4),
  ipv6: networks("An IPv6 network with a prefix length. ::/0 means every address.", 6),
  label: asValue(z.string().min(3).max(32)).describe("Name of the rule, for information only.").optional(),
  description: asValue(z.string().min(1).max(100)).describe("Purpose of the rule, for information only.").optional(),
};

const mostRefs = 16;

const inboundFields = z.object({
  ...fields,
  fromRefs: addressRefs(
    "Sources of the traffic, as references to objects. If an address changes, the operator updates the rule.",
    mostRefs,
  ),
});
const inboundNetworks = atLeastOneEntry(inboundFields, ["ipv4", "ipv6", "fromRefs"]);
const inboundRule = atMostTogether(inboundNetworks, ["ipv4", "ipv6", "fromRefs"], { most: 255, items: "networks" });

const outboundFields = z.object({
  ...fields,
  toRefs: addressRefs(
    "Destinations of the traffic, as references to objects. If an address changes, the operator updates the rule.",
    mostRefs,
  ),
});
const outboundNetworks = atLeastOneEntry(outboundFields, ["ipv4", "ipv6", "toRefs"]);
const outboundRule = atMostTogether(outboundNetworks, ["ipv4", "ipv6", "toRefs"], { most: 255, items: "networks" });

const rulesOrAbsent = `${absentOrEmpty} A new firewall then has no rules.`;

/** Whether a firewall filters traffic. */
export const enabledState = initially(
  true,
  z
    .boolean()
    .describe(
      "Whether the firewall filters traffic. If absent, a new firewall is enabled, and the operator never changes the state.",
    ),
);

/** The fields of a spec with the rules and the default actions. */
export const ruleFields = z.object({
  inboundPolicy: verdict.describe("Action for incoming traffic that no rule matches."),
  outboundPolicy: verdict.describe("Action for outgoing traffic that no rule matches."),
  inbound: orderedList(belonging(inboundRule, "protocol", ""), 25)
    .describe(`Rules for incoming traffic, in order. The first matching rule decides. ${rulesOrAbsent}`)
    .optional(),
  outbound: orderedList(belonging(outboundRule, "protocol", ""), 25)
    .describe(`Rules for outgoing traffic, in order. The first matching rule decides. ${rulesOrAbsent}`)
    .optional(),
});

type Rules = z.output<typeof ruleFields>;

/** Resolved references of all rules, in the order of `ruleReferences`. */
interface RuleRefs {
  inbound?: Resolved[] | undefined;
  outbound?: Resolved[] | undefined;
}

type Directions = Pick<Rules, "inbound" | "outbound">;

/** The references of the rules. */
export const ruleReferences = {
  inbound: {
    ...addressReference,
    from: ({ inbound = [] }: Directions) => inbound.flatMap(({ fromRefs = [] }) => fromRefs),
    fields: ({ inbound = [] }: Directions) =>
      inbound.flatMap(({ fromRefs = [] }, rule) => fromRefs.map((_, index) => `inbound[${rule}].fromRefs[${index}]`)),
  },
  outbound: {
    ...addressReference,
    from: ({ outbound = [] }: Directions) => outbound.flatMap(({ toRefs = [] }) => toRefs),
    fields: ({ outbound = [] }: Directions) =>
      outbound.flatMap(({ toRefs = [] }, rule) => toRefs.map((_, index) => `outbound[${rule}].toRefs[${index}]`)),
  },
};

/** Returns the rules of an export, with references to exported objects instead of their addresses. */
export function ruleRefsIn({ inbound = [], outbound = [] }: JsonObject, find: FindExported): JsonObject {
  const withRefs = (field: string) => (rule: Json) => {
    const { ipv4 = [], ipv6 = [], ...others } = rule as JsonObject & { ipv4?: string[]; ipv6?: string[] };
    const from4 = referencesAmong(find, ipv4, mostRefs);
    const from6 = referencesAmong(find, ipv6, mostRefs - from4.refs.length);
    const refs = [...from4.refs, ...from6.refs];
    const lists = { ipv4: from4.others, ipv6: from6.others, [field]: refs };
    return { ...others, ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) };
  };
  return {
    inbound: (inbound as Json[]).map(withRefs("fromRefs")),
    outbound: (outbound as Json[]).map(withRefs("toRefs")),
  };
}

/** Returns the body of the rules for a new firewall, with all four members. A firewall without a list in the spec has no rules. */
export function wantedRules(spec: Rules, refs: RuleRefs): JsonObject {
  return wanted(spec, refs).body;
}

/** Returns the rules of a spec in the form of `wireRules`, without the lists that the spec does not have. */
export function rulesOf(spec: Rules, refs: RuleRefs): JsonObject {
  return wanted(spec, refs).read;
}

/** Keeps the last result: a reconcile needs the rules several times, and six thousand networks take milliseconds. */
const last: { spec?: Rules; refs?: RuleRefs; wanted?: Wanted } = {};

interface Wanted {
  body: JsonObject;
  read: JsonObject;
}

function wanted(spec: Rules, refs: RuleRefs): Wanted {
  const isKept = last.spec === spec && last.refs?.inbound === refs.inbound && last.refs?.outbound === refs.outbound;
  if (isKept && last.wanted) return last.wanted;
  const { inboundPolicy, outboundPolicy, inbound = [], outbound = [] } = spec;
  const { inbound: entry, outbound: exit } = spec;
  const [from, to] = [networksOf(refs.inbound), networksOf(refs.outbound)];
  const entering = inbound.map(({ fromRefs = [], ...one }) => readRule(one, from.splice(0, fromRefs.length)));
  const leaving = outbound.map(({ toRefs = [], ...one }) => readRule(one, to.splice(0, toRefs.length)));
  const [inboundBody = [], outboundBody = []] = [entering, leaving].map((rules) => rules.map(ruleBody));
  const body = {
    inbound: inboundBody,
    inbound_policy: inboundPolicy,
    outbound: outboundBody,
    outbound_policy: outboundPolicy,
  };
  const read = given({ inboundPolicy, outboundPolicy, inbound: entry && entering, outbound: exit && leaving });
  Object.assign(last, { spec, refs, wanted: { body, read } });
  return { body, read };
}

/** Adds the networks of the references of a rule. */
function readRule(rule: { ipv4?: string[] | undefined; ipv6?: string[] | undefined }, networks: string[]) {
  const [ipv6, ipv4] = [networks.filter(isIPv6), networks.filter((one) => !isIPv6(one))];
  return knownRule.parse({ ...rule, addresses: { ipv4: joined(rule.ipv4, ipv4), ipv6: joined(rule.ipv6, ipv6) } });
}

function joined(given: string[] | undefined, referred: string[]): string[] | undefined {
  if (referred.length === 0) return given;
  return [...new Set([...(given ?? []).map(canonical), ...referred])];
}

function isIPv6(network: string): boolean {
  return network.includes(":");
}

function ruleBody({ action, protocol, ports, label, description, ...addresses }: JsonObject): JsonObject {
  return given({ action, protocol, ports, addresses, label, description });
}

const text = z.string().nullish();
const texts = z.array(z.string()).nullish();
const addresses = z.object({ ipv4: texts, ipv6: texts }).nullish();

/** Reads a rule into its normal form. Rules with equal normal forms have the same meaning. */
const knownRule = z
  .object({ action: z.string(), protocol: z.string(), ports: text, addresses, label: text, description: text })
  .transform(({ action, protocol, ports, addresses, label, description }) => {
    const [ipv4, ipv6] = [addresses?.ipv4, addresses?.ipv6].map((all) => all?.map(canonical).sort());
    return told({ action, protocol, ports: ports?.replaceAll(" ", ""), ipv4, ipv6, label, description });
  });

/** Reads a rule of an unknown form. The result stays visible as drift, and never equals a rule of a spec. */
const unknownRule = z.unknown().transform((one) => ({ unknown: JSON.stringify(one ?? null).slice(0, 500) }));

const wireRuleList = z.array(z.union([knownRule, unknownRule])).nullish();

/** Reads the rules of a row into the form of a spec. */
export const wireRules = z
  .object({ inbound: wireRuleList, inbound_policy: text, outbound: wireRuleList, outbound_policy: text })
  .nullish()
  .transform((rules) => ({
    ...told({ inboundPolicy: rules?.inbound_policy, outboundPolicy: rules?.outbound_policy }),
    inbound: rules?.inbound ?? [],
    outbound: rules?.outbound ?? [],
  }));

export function rulesAt(id: string): string {
  return `/networking/firewalls/${id}/rules`;
}

/**
 * Returns the read of the rules. Required before a change of a firewall whose spec lacks a list: a PUT replaces both lists, so the
 * body repeats the absent one. The row does not have the rules in the form of the API.
 */
export function rulesToKeep(path: string, spec: Rules, refs: RuleRefs, there: JsonObject): Detail | undefined {
  if (absentLists(spec).length === 0 || isAsWanted(spec, refs, there)) return undefined;
  return { path, needs: absentLists(spec) };
}

/**
 * Returns the request that replaces the rules. Empty if the rules differ from the spec only in spelling and empty members.
 * `current`: the response of `rulesToKeep`.
 */
export function ruleCalls(
  path: string,
  { spec, refs }: { spec: Rules; refs: RuleRefs },
  there: JsonObject,
  current: Json | undefined,
): Call[] {
  if (isAsWanted(spec, refs, there)) return [];
  const kept = picked((current ?? {}) as JsonObject, absentLists(spec));
  const body = { ...wanted(spec, refs).body, ...withoutNull(kept) };
  const call = { method: "PUT", path, body, action: "UpdateRules", note: "rules replaced" } as const;
  // A rule that another user added after the read must not get lost.
  return [Object.keys(kept).length === 0 ? call : { ...call, expects: { path, shows: kept } }];
}

/** The cloud API can show an empty list as null. */
function withoutNull(lists: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list ?? []]));
}

function absentLists(spec: Rules): ("inbound" | "outbound")[] {
  return (["inbound", "outbound"] as const).filter((list) => spec[list] === undefined);
}

/** Returns clauses about the rules that stay, because the spec does not have their list. */
export function unlistedRules(spec: Rules, there: Record<"inbound" | "outbound", unknown[]>): string[] {
  return absentLists(spec).flatMap((list) => {
    const { length } = there[list];
    if (length === 0) return [];
    const stay = length === 1 ? `1 ${list} rule in the cloud stays` : `${length} ${list} rules in the cloud stay`;
    return [`spec.${list} is absent, so ${stay} in force`];
  });
}

function isAsWanted(spec: Rules, refs: RuleRefs, there: JsonObject): boolean {
  const { read } = wanted(spec, refs);
  return isDeepStrictEqual(read, picked(there, Object.keys(read)));
}
