import * as z from "zod";

/** A time in status, in the form that Kubernetes writes times. */
export function timeField(description: string) {
  return z.string().max(40).meta({ format: "date-time" }).describe(description);
}

/** …that need not be there. */
export function optionalTime(description: string) {
  return timeField(description).optional();
}

/** A time of the API, which is UTC and carries no zone (not-shown, section 8), as RFC 3339; undefined where it tells none. */
export function rfc3339(text: string | null | undefined): string | undefined {
  if (!text) return undefined;
  return /(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`;
}
