/** Configuration profiles of an instance. */
import type { JsonObject } from "../../src/api/types.ts";
import { ok, paged, refuse } from "./answers.ts";
import { text } from "./collections.ts";
import type { CloudRow } from "./rows.ts";
import type { Service, ServiceAnswer, ServiceRequest } from "./service.ts";

/** Answers requests for the profiles of an instance, and for one profile; undefined for other paths. */
export function serveConfigs(
  { clock }: Service,
  { method, query, body, entry }: ServiceRequest,
  { beside }: CloudRow,
  rest: string,
): ServiceAnswer | undefined {
  const configs = beside["configs"] as JsonObject[] | undefined;
  if (configs === undefined || !/^configs(\/\d+)?$/.test(rest)) return undefined;
  if (rest === "configs" && method === "GET") return paged(configs, query);
  if (rest === "configs") {
    // The requests of a world have different numbers, so that the IDs differ, too.
    const made = { ...body, id: 20_000 + entry, created: clock.date().toISOString().slice(0, 19) };
    configs.push(made);
    return ok(made);
  }
  const config = configs.find(({ id }) => rest === `configs/${text(id)}`);
  if (!config) return refuse(404, "Not found");
  if (method === "PUT") Object.assign(config, body);
  if (method === "DELETE") beside["configs"] = configs.filter((one) => one !== config);
  return ok(method === "DELETE" ? {} : config);
}
