/**
 * The kinds: one file a custom resource, in folders by area, each a value of `defineKind`.
 *
 * A kind guarantees that its functions are pure (only `release` calls the cloud, by what it is handed), that each rule
 * holds at admission and in the parser, and that equal things are written equally before they are compared. The room
 * imports core, zod and, as types, api; files beside a kind hold its parts, files here what several kinds share.
 */
import type { Json, JsonObject } from "../api/types.ts";

/** The members that have a value: what the user did not set is not sent, and so not managed. */
export function given(members: Record<string, Json | undefined>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

/** The members that say something: null says no more than a member that is missing, and neither does what is empty. */
export function told(members: Record<string, Json | undefined>): JsonObject {
  return given(Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value))));
}

function isEmpty(value: Json | undefined): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

/** The members of these names that are there. */
export function picked(members: JsonObject, names: readonly string[]): JsonObject {
  return given(Object.fromEntries(names.map((name) => [name, members[name]])));
}
