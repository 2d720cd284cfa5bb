/** Requests for addresses that concern more than one row. */
import type { JsonObject } from "../../src/api/types.ts";
import { ok, refuse } from "./answers.ts";
import { text } from "./collections.ts";
import type { CloudRow } from "./rows.ts";
import type { Service, ServiceAnswer, ServiceRequest } from "./service.ts";

/** Assigns addresses and IPv6 ranges to instances. */
export function assign({ rows }: Service, { user, body }: ServiceRequest): ServiceAnswer {
  for (const { address, compute_id } of body["assignments"] as { address: string; compute_id: number }[]) {
    const [range = "", prefix] = address.split("/");
    const row = rows.find(user.account, prefix ? "/networking/ipv6/ranges" : "/networking/ips", range);
    if (!row) return refuse(400, `no address ${address}`);
    const instance = rows.find(user.account, "/compute/instances", text(compute_id));
    const [slaac = ""] = text(instance?.fields["ipv6"]).split("/");
    if (!row.stubborn) Object.assign(row.fields, prefix ? { route_target: slaac } : { compute_id });
  }
  return ok({});
}

/** What an instance shares is shown beside its row. */
export function share({ rows }: Service, { user, body, touch }: ServiceRequest): ServiceAnswer {
  const row = rows.find(user.account, "/compute/instances", text(body["compute_id"]));
  if (!row) return refuse(400, "There is no such instance", "compute_id");
  touch(row);
  const shared = (body["ips"] as string[]).map((address) => ({ address }));
  if (!row.stubborn) row.beside["ips"] = { ...(row.beside["ips"] as JsonObject), ipv4: { shared } };
  return ok({});
}

/** Returns the addresses of an instance: its first one, which comes with it, then those that were allocated to it. */
export function addressesOf({ rows }: Service, { holder, id, fields, beside }: CloudRow): JsonObject {
  const allocated = rows
    .at(holder, "/networking/ips")
    .map((row) => row.fields)
    .filter(({ type, compute_id: instance }) => type === "ipv4" && text(instance) === id);
  const first = ((fields["ipv4"] ?? []) as string[]).map((address) => ({ address }));
  const { ipv4 = {}, ...others } = (beside["ips"] ?? {}) as JsonObject;
  // A test may store an odd form.
  if (ipv4 === null || typeof ipv4 !== "object" || Array.isArray(ipv4)) return { ipv4, ...others };
  return {
    ipv4: {
      public: [...first, ...allocated.filter((one) => one["public"] !== false)],
      private: allocated.filter((one) => one["public"] === false),
      ...ipv4,
    },
    ...others,
  };
}
