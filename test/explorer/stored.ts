/** A service with normalised values: stores a field of requests in another form. */
import type { JsonObject } from "../../src/api/types.ts";
import type { ServiceSettings } from "../world/service.ts";

/** `capitals`: equal in the normal form of each kind. `marked`: different in the normal form. */
export interface Stored {
  field: string;
  form: "capitals" | "marked";
}

export const storedFields = ["label", "domain", "name", "target", "region", "description", "soa_email", "ssh_key"];

const mark = "-stored";

/** Returns the change of the service to each request. */
export function storing({ field, form }: Stored): ServiceSettings["normalise"] {
  return ({ body }) => {
    const { [field]: sent } = body;
    if (typeof sent !== "string" || sent === "" || sent.endsWith(mark)) return body;
    return { ...body, [field]: form === "capitals" ? sent.toUpperCase() : `${sent}${mark}` } satisfies JsonObject;
  };
}

/** Returns true if a row shows a marked value in any of the fields. */
export function isMarked(row: JsonObject, fields: readonly string[]): boolean {
  return fields.some((field) => typeof row[field] === "string" && row[field].endsWith(mark));
}

/** Returns a stored text as the request had it. All texts of stories are in lower case. */
export function asSent(text: string): string {
  return (text.endsWith(mark) ? text.slice(0, -mark.length) : text).toLowerCase();
}
