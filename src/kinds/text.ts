import * as z from "zod";

/** A text that need not be there, of at most `max` characters. */
export function optionalText(max: number, description: string) {
  return z.string().max(max).describe(description).optional();
}
