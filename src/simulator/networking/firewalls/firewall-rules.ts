import { recordEvent } from "../../server/events.ts";
import { operation } from "../../server/operation.ts";
import { firewallEntity, presentRules } from "./assignment.ts";
import { firewallOf } from "./firewalls.ts";
import { replacedRules, rulesUpdateSchema } from "./rule-schema.ts";
import { FIREWALLS } from "./tables.ts";

const path = "/networking/firewalls/{firewallId}/rules";

/** Serves the rules of a firewall. An update replaces all rules (not-shown section 4). */
export const firewallRuleOperations = [
  operation({
    method: "GET",
    path,
    summary: "View the rules of a firewall",
    scopes: ["firewall:read_only"],
    entity: { category: "firewall", param: "firewallId", permission: "read_only" },
    handler: (context) => presentRules(firewallOf(context).rules),
  }),
  operation({
    method: "PUT",
    path,
    summary: "Replace the rules of a firewall",
    scopes: ["firewall:read_write"],
    entity: { category: "firewall", param: "firewallId", permission: "read_write" },
    body: rulesUpdateSchema,
    handler(context) {
      const { world, account, body, caller, now } = context;
      const before = firewallOf(context);
      const rules = replacedRules(before.rules, body);
      const changed = world.store.put(FIREWALLS, account, { ...before, rules, updated: now });
      recordEvent(world, account, { action: "firewall_update", entity: firewallEntity(changed), caller });
      return presentRules(rules);
    },
  }),
];
