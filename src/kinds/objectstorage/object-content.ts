/** Content of a BucketObject, and its digest in the bucket: not-shown, section 5. */
import { createHash } from "node:crypto";
import * as z from "zod";
import { Waiting } from "../../core/kind/outcome.ts";

/** The largest content of a Secret or a ConfigMap, in bytes. */
export const mostContent = 1_048_576;

/** Reads the first row. A list by prefix also contains longer names, but the exact name comes first. */
export const contents = z.object({
  data: z.array(z.object({ name: z.string(), etag: z.string().nullish() })).transform((all) => all.slice(0, 1)),
});

type Fields<V> = Partial<Record<"contentSecretRef" | "contentConfigMapRef", V>>;

interface Source {
  spec: Fields<{ name: string; key?: string | undefined } | undefined>;
  refs: Fields<string | undefined>;
}

/** Returns the content. Throws `Waiting` if the Secret or the ConfigMap does not have it. */
export function contentOf({ spec, refs }: Source): Uint8Array {
  const { field, of, reason } = spec.contentConfigMapRef
    ? ({ field: "contentConfigMapRef", of: "ConfigMap", reason: "WaitingForReference" } as const)
    : ({ field: "contentSecretRef", of: "Secret", reason: "WaitingForSecret" } as const);
  const { name = "", key = "content" } = spec[field] ?? {};
  const value = refs[field];
  if (value === undefined)
    throw new Waiting(
      reason,
      `key ${key} of ${of} ${name} does not exist. The object is not changed. Store the content under this key`,
    );
  return Buffer.from(value, "base64");
}

/** Returns the ETag. After an upload in one part, the ETag is the MD5 digest of the content. */
export function etagOf(content: Uint8Array): string {
  return createHash("md5").update(content).digest("hex");
}

/** Returns the ETag without quotes, which object stores add. */
export function plainETag(etag: string | null | undefined): string | undefined {
  return etag?.replaceAll('"', "");
}
