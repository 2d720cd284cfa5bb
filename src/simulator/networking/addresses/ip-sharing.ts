import * as z from "zod";
import { invalid } from "../../server/errors.ts";
import { operation } from "../../server/operation.ts";
import type { Operation } from "../../server/operation.ts";
import { withdrawShares } from "../release.ts";
import { movableIn, namedInstance } from "./named-addresses.ts";

const shareBody = z.object({ compute_id: z.int(), ips: z.array(z.string()) });

/** Serves the sharing of addresses with an instance (part 3 section 4.3 rule 2). */
export const ipSharingOperations = [
  sharing("/networking/ipv4/share", {}),
  sharing("/networking/ips/share", { beta: true }),
];

function sharing(path: string, version: Pick<Operation, "beta">): Operation {
  return operation({
    method: "POST",
    path,
    ...version,
    summary: "Share addresses with an instance; replaces what is shared with it",
    scopes: ["ips:read_write", "compute:read_write"],
    body: shareBody,
    handler(context) {
      const { compute_id, ips } = context.body;
      const instance = namedInstance(context, compute_id, "compute_id");
      withdrawShares(context.world, context.account, compute_id);
      for (const [index, text] of [...new Set(ips)].entries()) {
        const field = `ips.${index}`;
        const address = movableIn(context, instance.region, text, field);
        // Unlike an address, a range can be shared with the instance of the range.
        if (address.instance === compute_id && address.prefix === undefined)
          throw invalid(field, `${text} belongs to instance ${compute_id} already`);
        address.put({ sharedWith: [...address.sharedWith, compute_id] });
      }
      return {};
    },
  });
}
