import * as z from "zod";
import { isNetwork } from "../../server/ip-address.ts";
import { optional, text } from "../../server/wire.ts";
import { portsFault } from "./ports.ts";
import type { FirewallRule, FirewallRules, Policy } from "./tables.ts";

const MAX_RULES = 25;
const MAX_ADDRESSES = 255;

const policySchema = z.enum(["ACCEPT", "DROP"]);

const addresses = z
  .object({ ipv4: networks(4), ipv6: networks(6) })
  .superRefine(({ ipv4, ipv6 }, context) => {
    const wrong = (message: string) => context.addIssue({ code: "custom", message });
    if (!ipv4 && !ipv6) wrong("At least one of ipv4 and ipv6 is required");
    if ((ipv4?.length ?? 0) + (ipv6?.length ?? 0) > MAX_ADDRESSES)
      wrong(`At most ${MAX_ADDRESSES} addresses and networks in a rule`);
  })
  .transform(({ ipv4, ipv6 }) => ({ ...(ipv4 && { ipv4 }), ...(ipv6 && { ipv6 }) }));

const rule = z
  .object({
    action: policySchema,
    addresses,
    description: optional(text(1, 100)),
    label: optional(text(3, 32)),
    ports: optional(z.string()),
    protocol: z.enum(["TCP", "UDP", "ICMP", "IPENCAP"]),
  })
  .superRefine(({ ports, protocol }, context) => {
    if (ports === undefined) return;
    const onlyFor = protocol === "TCP" || protocol === "UDP" ? undefined : "Ports are allowed only for TCP and UDP";
    const message = onlyFor ?? portsFault(ports);
    if (message !== undefined) context.addIssue({ code: "custom", path: ["ports"], message });
  })
  .transform(({ label, description, ports, ...rest }): FirewallRule => ({
    ...rest,
    ...(ports !== undefined && { ports }),
    ...(label !== undefined && { label }),
    ...(description !== undefined && { description }),
  }));

const directions = { inbound: list(rule), outbound: list(rule) };

/** `rules` of a new firewall. Both policies are required (part 3 section 4.2). */
export const newRulesSchema = z
  .object({ ...directions, inbound_policy: policySchema, outbound_policy: policySchema })
  .superRefine(countRules([]));

/** Body of a rules update. An omitted list becomes empty. An omitted policy keeps the value (not-shown section 4). */
export const rulesUpdateSchema = z
  .object({ ...directions, inbound_policy: optional(policySchema), outbound_policy: optional(policySchema) })
  .superRefine(countRules(["rules"]));

export function replacedRules(
  before: FirewallRules,
  { inbound, outbound, ...policies }: z.output<typeof rulesUpdateSchema>,
): FirewallRules {
  const policy = (given: Policy | undefined, kept: Policy): Policy => given ?? kept;
  return {
    inbound,
    inbound_policy: policy(policies.inbound_policy, before.inbound_policy),
    outbound,
    outbound_policy: policy(policies.outbound_policy, before.outbound_policy),
    version: (before.version ?? 1) + 1,
  };
}

interface Directions {
  inbound: readonly unknown[] | null;
  outbound: readonly unknown[] | null;
}

/** Adds an issue for more than 25 rules (part 3 section 2.2). `path` is the path of the issue. */
function countRules(path: string[]) {
  return ({ inbound, outbound }: Directions, context: z.RefinementCtx): void => {
    if ((inbound?.length ?? 0) + (outbound?.length ?? 0) <= MAX_RULES) return;
    context.addIssue({ code: "custom", path, message: `At most ${MAX_RULES} rules across inbound and outbound` });
  };
}

/** Returns the schema of a list. An omitted list becomes empty, and null stays null. */
function list<S extends z.ZodType>(schema: S) {
  return z
    .array(z.union([z.object({ ruleset: z.int() }), schema]))
    .nullable()
    .default([]);
}

function networks(family: 4 | 6) {
  const entry = z
    .string()
    .refine((value) => isNetwork(value, family), `Must be an IPv${family} network in IP/mask form`);
  return optional(z.array(entry).min(1, "Must not be empty"));
}
