import type { Json, JsonObject } from "../api/types.ts";

/** The members that have a value: what the user did not set is not sent, and so not managed. */
export function given(members: Record<string, Json | undefined>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

/** The members of these names that are there. */
export function picked(members: JsonObject, names: readonly string[]): JsonObject {
  return given(Object.fromEntries(names.map((name) => [name, members[name]])));
}
