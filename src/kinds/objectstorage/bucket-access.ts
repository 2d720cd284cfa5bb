/** Access to a bucket: not-shown, section 5. */
import { short } from "../../core/kind/differences.ts";
import * as z from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call, Detail } from "../../core/kind/call.ts";
import { given } from "../given.ts";
import { bucketPath } from "./bucket-spec.ts";

/** The cloud API can show a disabled setting as null. */
const wireAccess = z.object({
  acl: z.string(),
  cors_enabled: z
    .boolean()
    .nullish()
    .transform((on) => on ?? false),
});

/** Returns the path of the access settings. */
export function accessOf(id: string): Detail {
  return { path: `${bucketPath(id)}/access`, needs: ["acl"] };
}

/** Returns the settings in the form of the spec, or no settings if the response is unreadable. */
export function accessInWords(access: Json | undefined): { acl?: string; corsEnabled?: boolean } {
  const found = wireAccess.safeParse(access).data;
  return found ? { acl: found.acl, corsEnabled: found.cors_enabled } : {};
}

/** Returns the requests that set the access. POST sets a single setting, PUT sets both: design, section 8. */
export function accessCalls(id: string, wanted: JsonObject, current: Json | undefined): Call[] {
  const there = wireAccess.safeParse(current).data;
  const changed = given(
    Object.fromEntries(
      Object.entries(wanted).filter(([field, value]) => there?.[field as keyof typeof there] !== value),
    ),
  );
  const fields = Object.keys(changed);
  if (fields.length === 0) return [];
  const note = fields.map((field) => {
    const name = field === "cors_enabled" ? "corsEnabled" : field;
    return `${name}: ${short(there?.[field as keyof typeof there])} → ${short(changed[field])}`;
  });
  return [
    {
      method: fields.length === 1 ? "POST" : "PUT",
      path: `${bucketPath(id)}/access`,
      body: changed,
      action: "UpdateAccess",
      note: note.join(", "),
    },
  ];
}
