/** Name and media type of an object in a bucket: part 3, section 2.1. */
import * as z from "zod";
import { asValue } from "../../core/kind/leaf-class.ts";
import { matching, rule } from "../../core/kind/schema.ts";

/** The cloud API permits 1,024 bytes. `.` and `..` cannot be names, because a URL drops these segments. */
export function objectKey(description: string, most = 1_024) {
  return rule(asValue(z.string().min(1).max(most)).describe(description), {
    cel: "size(bytes(self)) <= 1024 && self != '.' && self != '..'",
    check: (name) => Buffer.byteLength(name) <= 1_024 && name !== "." && name !== "..",
    message: "must have at most 1024 bytes, and be neither . nor ..",
  });
}

export function contentType(description: string) {
  return matching(
    asValue(z.string().min(3).max(255)).describe(description),
    "^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+(; ?[A-Za-z0-9-]+=[A-Za-z0-9!#$&^_.+-]+)*$",
    "must be a media type, such as text/plain; charset=utf-8",
  );
}
