/**
 * The kinds: one file for each custom resource, in one folder for each area. Each kind is a value of `defineKind`.
 *
 * Guarantees: the functions of a kind are pure, except `release`, which calls the cloud with the given tools. Admission
 * and the parser enforce each rule. Values have a normal form for comparisons. The folder imports core, zod, and types of
 * api. A file in the folder of a kind contains a part of the kind. A file in this folder contains code of several kinds.
 */
import type { Json, JsonObject } from "../api/types.ts";

/** Returns the members with a value. The operator neither sends nor manages unset members. */
export function given(members: Record<string, Json | undefined>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter((entry): entry is [string, Json] => entry[1] !== undefined));
}

/** Returns the members with content. Null, an empty text and an empty list mean the same as an absent member. */
export function told(members: Record<string, Json | undefined>): JsonObject {
  return given(Object.fromEntries(Object.entries(members).filter(([, value]) => !isEmpty(value))));
}

function isEmpty(value: Json | undefined): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

/** Returns the present members with the given names. */
export function picked(members: JsonObject, names: readonly string[]): JsonObject {
  return given(Object.fromEntries(names.map((name) => [name, members[name]])));
}
