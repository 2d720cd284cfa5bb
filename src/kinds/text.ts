import * as z from "zod";
import { asValue } from "../core/kind/leaf-class.ts";

/** Describes an optional text of 1 to `max` characters. */
export function someText(max: number, description: string) {
  return asValue(z.string().min(1).max(max)).describe(description).optional();
}

/** Describes an optional text of at most `max` characters, which can be empty. */
export function optionalText(max: number, description: string) {
  return asValue(z.string().max(max)).describe(description).optional();
}
