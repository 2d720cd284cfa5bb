import * as z from "zod";

/** Describes a time in the status, in the format of Kubernetes. */
export function timeField(description: string) {
  return z.string().max(40).meta({ format: "date-time" }).describe(description);
}

/** Describes an optional time in the status. */
export function optionalTime(description: string) {
  return timeField(description).optional();
}

/** Returns a time of the cloud API as RFC 3339. The cloud API writes UTC without zone (not-shown, section 8). */
export function rfc3339(text: string | null | undefined): string | undefined {
  if (!text) return undefined;
  return /(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`;
}
