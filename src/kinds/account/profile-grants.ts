/** Grants of a restricted user, in the status of a Profile: part 1, sections 2.5 and 4.2. */
import * as z from "zod";
import type { Json } from "../../api/types.ts";
import { setOf } from "../../core/kind/schema.ts";
import { optionalText } from "../text.ts";

/** Maximum number of grants for single cloud objects in the status. */
const mostShown = 100;

export const grantsStatus = z
  .object({
    accountAccess: optionalText(
      32,
      "Access to the account itself, in the API's words. If absent, the user has no access.",
    ),
    global: setOf(z.string().max(64), 64).describe("Global permissions, such as add_computes."),
    count: z.int().min(0).describe("Number of grants for single cloud objects."),
    entries: z
      .array(
        z.object({
          type: z.string().max(32).describe("Type of the cloud object in the API's words, such as compute."),
          id: z.string().max(32).describe("Identifier in the API."),
          label: optionalText(128, "Label in the API."),
          permissions: z.string().max(32).describe("Either read_only or read_write."),
        }),
      )
      .max(mostShown)
      .meta({ listType: "atomic" })
      .describe(`First ${mostShown} grants for single cloud objects.`),
  })
  .describe("Grants of a restricted user. The cloud API refuses or hides actions and cloud objects without a grant.");

const entity = z.object({ id: z.int(), label: z.string().nullish(), permissions: z.string() });
const answer = z.looseObject({ global: z.record(z.string(), z.unknown()) });

/** Returns the grants in a stable order. Undefined for an unrestricted user, or if the response has no grants. */
export function grantsIn(found: Json | undefined): z.input<typeof grantsStatus> | undefined {
  const read = answer.safeParse(found).data;
  if (!read) return undefined;
  const { global, ...categories } = read;
  const { account_access: access, ...flags } = global;
  const entries = Object.entries(categories).flatMap(([type, list]) =>
    (Array.isArray(list) ? list : []).flatMap((one: unknown) => {
      const { id, label, permissions } = entity.safeParse(one).data ?? {};
      if (id === undefined || permissions === undefined) return [];
      return [{ type, id: String(id), ...(label && { label: label.slice(0, 128) }), permissions }];
    }),
  );
  const key = ({ type, id }: { type: string; id: string }): string => `${type} ${id.padStart(20, "0")}`;
  return {
    ...(typeof access === "string" && { accountAccess: access }),
    global: Object.keys(flags)
      .filter((name) => flags[name] === true)
      .toSorted(),
    count: entries.length,
    entries: entries.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)).slice(0, mostShown),
  };
}
