import { INSTANCES, NODE_BALANCERS, VOLUMES } from "../compute/tables.ts";
import { DATABASES } from "../databases/tables.ts";
import { DOMAINS } from "../domains/tables.ts";
import { IMAGES } from "../images/tables.ts";
import { GLOBAL_GRANTS, GRANT_CATEGORIES } from "../server/auth/identity.ts";
import type { GrantCategory } from "../server/auth/identity.ts";
import { operation } from "../server/operation.ts";
import type { Context } from "../server/operation.ts";
import type { Store } from "../server/store/store.ts";

/** Categories in the order of part 1 section 2.5, which has no category for firewalls. */
const CATEGORIES = GRANT_CATEGORIES.filter((category) => category !== "firewall");

/**
 * Functions that return the label of a granted entity, or undefined for a deleted entity. A category without a function
 * shows the ID.
 */
const LABELS: Partial<Record<GrantCategory, (store: Store, account: string, id: string) => string | undefined>> = {
  compute: (store, account, id) => store.get(INSTANCES, account, id)?.label,
  database: (store, account, id) => store.get(DATABASES, account, id)?.label,
  image: (store, account, id) => store.get(IMAGES, account, `private/${id}`)?.label,
  domain: (store, account, id) => store.get(DOMAINS, account, id)?.domain,
  nodebalancer: (store, account, id) => store.get(NODE_BALANCERS, account, id)?.label,
  volume: (store, account, id) => store.get(VOLUMES, account, id)?.label,
};

/** Serves the grants of a restricted user (part 1 section 4.2). */
export const grantOperations = [
  operation({
    method: "GET",
    path: "/profile/grants",
    summary: "List the grants of the acting user; 204 for an unrestricted one",
    mayBeEmpty: true,
    handler: (context) => (context.caller.user.restricted ? present(context) : undefined),
  }),
];

function present({ world, account, caller }: Context): Record<string, unknown> {
  const { grants } = caller.user;
  const shown: Record<string, unknown> = {};
  for (const category of CATEGORIES) {
    const held = Object.entries(grants.entities[category] ?? {});
    const labelOf = LABELS[category] ?? ((_store, _account, id) => id);
    shown[category] = held.flatMap(([id, permissions]) => {
      const label = labelOf(world.store, account, id);
      return label === undefined ? [] : [{ id: Number(id), label, permissions }];
    });
  }
  const flags = GLOBAL_GRANTS.map((name) => [name, grants.global[name] ?? false] as const);
  return { global: { account_access: grants.account_access, ...Object.fromEntries(flags) }, ...shown };
}
