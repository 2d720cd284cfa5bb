/** The content of a BucketObject, and how a bucket shows it: not-shown, section 5. */
import { createHash } from "node:crypto";
import * as z from "zod";
import { Invalid, Waiting } from "../../core/kind/outcome.ts";

/** As much as a Secret holds, bytes. */
const largest = 1_048_576;

/** Of what the bucket holds under a name, and under longer ones that begin with it, the first is that of the name. */
export const contents = z.object({
  data: z.array(z.object({ name: z.string(), etag: z.string().nullish() })).transform((all) => all.slice(0, 1)),
});

interface Source {
  spec: { contentSecretRef: { name: string; key?: string | undefined } };
  refs: { contentSecretRef: string | undefined };
}

/** Throws where the Secret does not have it, or has too much. */
export function contentOf({ spec: { contentSecretRef }, refs }: Source): Uint8Array {
  const { name, key = "content" } = contentSecretRef;
  if (refs.contentSecretRef === undefined)
    throw new Waiting("WaitingForSecret", `key ${key} of Secret ${name} does not exist. The object is not changed`);
  const content = Buffer.from(refs.contentSecretRef, "base64");
  if (content.byteLength <= largest) return content;
  throw new Invalid("spec.contentSecretRef", `key ${key} of Secret ${name} has more than 1 MiB. Nothing is written`);
}

/** Of what is written in one piece, it is the MD5 digest. */
export function etagOf(content: Uint8Array): string {
  return createHash("md5").update(content).digest("hex");
}

/** Stores write it with quotes. */
export function plainETag(etag: string | null | undefined): string | undefined {
  return etag?.replaceAll('"', "");
}
