import { firewallsOf, presentFirewall } from "../../networking/firewalls/assignment.ts";
import { FIREWALL_FILTERABLE } from "../../networking/firewalls/firewalls.ts";
import { visible } from "../../server/auth/auth.ts";
import { rowList } from "../../server/lists/paging.ts";
import { operation, rowOf } from "../../server/operation.ts";
import { INSTANCES } from "../tables.ts";

/** Serves the firewalls of an instance, enabled or disabled (not-shown section 3). */
export const instanceFirewallOperations = [
  operation({
    method: "GET",
    path: "/compute/instances/{computeId}/firewalls",
    summary: "List the firewalls of an instance",
    scopes: ["compute:read_only"],
    entity: { category: "compute", param: "computeId", permission: "read_only" },
    paged: { filterable: FIREWALL_FILTERABLE },
    handler(context) {
      const { id } = rowOf(context, INSTANCES, context.params["computeId"]);
      const rows = firewallsOf(context.world, context.account, id);
      return rowList(
        visible(context, "firewall", rows, (row) => row.id),
        (row) => presentFirewall(context.world, context.account, row),
      );
    },
  }),
];
