/**
 * The installation tag: one tag on everything that this installation created, where the token's user may tag. It is no
 * difference when it is there, and it stays when tags are set.
 */
import type { Json, JsonObject } from "../../api/types.ts";
import { tagPrefix } from "../kind/tags.ts";
import type { Connected } from "./context.ts";

/** The body with the installation tag among its tags. */
export function tagged({ environment, kind, session }: Connected, body: JsonObject): JsonObject {
  const tag = environment.installationTag;
  if (!("tags" in kind.fields) || tag === undefined || session.restricted) return body;
  return { ...body, tags: [...new Set([...listOf(body["tags"]), tag])] };
}

/** A row without the installation tag. */
export function untagged({ environment, kind }: Connected, observed: JsonObject): JsonObject {
  if (!("tags" in kind.fields) || !Array.isArray(observed["tags"])) return observed;
  return { ...observed, tags: observed["tags"].filter((one) => one !== environment.installationTag) };
}

/** The tag of another installation on a row; undefined where there is none. */
export function tagOfAnother({ environment }: Connected, { tags }: JsonObject): string | undefined {
  return listOf(tags)
    .filter((tag) => typeof tag === "string")
    .find((tag) => tag.startsWith(tagPrefix) && tag !== environment.installationTag);
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
