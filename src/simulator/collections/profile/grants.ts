import { operation } from "../../operation.ts";
import type { Context } from "../../operation.ts";
import type { Store, Table } from "../../store.ts";
import { INSTANCES } from "../../tables/compute.ts";
import { GLOBAL_GRANTS } from "../../tables/identity.ts";
import type { GrantCategory } from "../../tables/identity.ts";

/** The categories of part 1 section 2.5, in the order of the answer. */
const CATEGORIES: readonly GrantCategory[] = [
  "database",
  "domain",
  "image",
  "compute",
  "longview",
  "nodebalancer",
  "stackscript",
  "volume",
];

/** Where the labels of granted entities are found; a category that is not here shows the id as its label. */
const LABELLED: Partial<Record<GrantCategory, Table<{ label: string }>>> = {
  compute: INSTANCES as unknown as Table<{ label: string }>,
};

/** What a restricted user may do (part 1 section 4.2). */
export const grantOperations = [
  operation({
    method: "GET",
    path: "/profile/grants",
    summary: "List the grants of the acting user; 204 for an unrestricted one",
    handler: (context) => (context.caller.user.restricted ? present(context) : undefined),
  }),
];

function present({ world, account, caller }: Context): Record<string, unknown> {
  const { grants } = caller.user;
  const shown: Record<string, unknown> = {};
  for (const category of CATEGORIES) {
    const held = Object.entries(grants.entities[category] ?? {});
    shown[category] = held.map(([id, permissions]) => {
      return { id: Number(id), label: label(world.store, account, category, id), permissions };
    });
  }
  const flags = GLOBAL_GRANTS.map((name) => [name, grants.global[name] ?? false] as const);
  return { global: { account_access: grants.account_access, ...Object.fromEntries(flags) }, ...shown };
}

function label(store: Store, account: string, category: GrantCategory, id: string): string {
  const table = LABELLED[category];
  return (table && store.get(table, account, id)?.label) ?? id;
}
