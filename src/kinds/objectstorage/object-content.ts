/** The content of a BucketObject, and how a bucket shows it: not-shown, section 5. */
import { createHash } from "node:crypto";
import * as z from "zod";
import { Waiting } from "../../core/kind/outcome.ts";

/** As much as a Secret or a ConfigMap holds, bytes. */
export const mostContent = 1_048_576;

/** Of what the bucket holds under a name, and under longer ones that begin with it, the first is that of the name. */
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

/** Of what is written in one piece, it is the MD5 digest. */
export function etagOf(content: Uint8Array): string {
  return createHash("md5").update(content).digest("hex");
}

/** Stores write it with quotes. */
export function plainETag(etag: string | null | undefined): string | undefined {
  return etag?.replaceAll('"', "");
}
