/**
 * Texts for the long columns of `kubectl get -o wide`. A printer column of the API server cannot cut a text. The status
 * therefore contains a short text for each long column, in `wide`.
 */
import * as z from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Described } from "./described.ts";
import { isObject } from "./differences.ts";

type Columns = Described["columns"];

/** Length of the longest text. A longer text ends with an ellipsis. */
const mostLetters = 40;

/** Returns the field `wide` of the status, or no field for a kind without a long column. */
export function wideStatus(columns: Columns): z.ZodRawShape {
  const texts = columns
    .filter(({ long }) => long)
    .map(({ name }) => {
      const schema = z.string().max(mostLetters).describe(`${name}, at most ${mostLetters} characters.`).optional();
      return [fieldOf(name), schema] as const;
    });
  if (texts.length === 0) return {};
  const wide = z.object(Object.fromEntries(texts));
  return { wide: wide.describe("Short forms of long values, for the columns of `kubectl get -o wide`.").optional() };
}

/** Returns the path of the short text of a long column. */
export function widePath(name: string): string {
  return `.status.wide.${fieldOf(name)}`;
}

/** Returns the short text of each long column, by field. Returns undefined if no column has a value. */
export function wideTexts(columns: Columns, object: { spec?: unknown; status: JsonObject }): JsonObject | undefined {
  const texts = columns.flatMap(({ name, jsonPath, long }) => {
    const text = long ? textOf(columnValue(object as JsonObject, jsonPath)) : "";
    return text === "" ? [] : [[fieldOf(name), cutToColumn(text)] as const];
  });
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}

/** Returns the name of a column as a field, such as `moreInfo` for `More info`. */
function fieldOf(name: string): string {
  const [first = "", ...others] = name.toLowerCase().split(" ");
  return [first, ...others.map((word) => word.charAt(0).toUpperCase() + word.slice(1))].join("");
}

function columnValue(object: JsonObject, jsonPath: string): Json | undefined {
  const fields = jsonPath.split(".").slice(1);
  return fields.reduce<Json | undefined>((value, field) => (isObject(value) ? value[field] : undefined), object);
}

function textOf(value: Json | undefined): string {
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  return typeof value === "string" ? value.slice(0, 256).replaceAll(/\s+/g, " ").trim() : "";
}

/** Cuts a text. Does not split a surrogate pair. */
function cutToColumn(text: string): string {
  if (text.length <= mostLetters) return text;
  return `${text.slice(0, mostLetters - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
