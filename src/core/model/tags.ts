/**
 * The installation tag: a tag on every cloud object that this installation creates, if the user of the token may set
 * tags. The tag is not drift, and an update of the tags keeps the tag.
 */
import type { Json, JsonObject } from "../../api/types.ts";
import { tagPrefix } from "../kind/tags.ts";
import type { Connected } from "./context.ts";

export function tagged({ environment, kind, session }: Connected, body: JsonObject): JsonObject {
  const tag = environment.installationTag;
  if (!("tags" in kind.fields) || tag === undefined || session.restricted) return body;
  return { ...body, tags: [...new Set([...elementsOf(body["tags"]), tag])] };
}

export function untagged({ environment, kind }: Connected, observed: JsonObject): JsonObject {
  if (!("tags" in kind.fields) || !Array.isArray(observed["tags"])) return observed;
  return { ...observed, tags: observed["tags"].filter((one) => one !== environment.installationTag) };
}

/** Returns the tag of another installation on a row; undefined without such a tag. */
export function tagOfAnother({ environment }: Connected, { tags }: JsonObject): string | undefined {
  return elementsOf(tags)
    .filter((tag) => typeof tag === "string")
    .find((tag) => tag.startsWith(tagPrefix) && tag !== environment.installationTag);
}

function elementsOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
