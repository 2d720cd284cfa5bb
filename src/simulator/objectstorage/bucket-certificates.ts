import { createPrivateKey, X509Certificate } from "node:crypto";
import * as z from "zod";
import { invalid, refused } from "../server/errors.ts";
import { bucketOperation } from "./bucket-operation.ts";
import { BUCKETS } from "./tables.ts";

const below = "/ssl";

/** Serves the TLS certificate of a bucket (part 3 sections 2.1 and 4.1, not-shown section 5). */
export const certificateOperations = [
  bucketOperation({
    method: "GET",
    below,
    summary: "Tell whether a certificate was uploaded",
    handler: (_context, bucket) => ({ ssl: bucket.tls !== null }),
  }),
  bucketOperation({
    method: "POST",
    below,
    summary: "Upload a certificate; one that is there is deleted first",
    body: z.object({ certificate: z.string(), private_key: z.string() }),
    handler({ world, account, body }, bucket) {
      if (bucket.tls) throw refused("The bucket has a certificate: delete it first");
      checkPair(body.certificate, body.private_key);
      world.store.put(BUCKETS, account, { ...bucket, tls: body });
      return { ssl: true };
    },
  }),
  bucketOperation({
    method: "DELETE",
    below,
    summary: "Delete the certificate and its key",
    handler({ world, account }, bucket) {
      world.store.put(BUCKETS, account, { ...bucket, tls: null });
      return {};
    },
  }),
];

function checkPair(certificate: string, privateKey: string): void {
  const parsed = attempt(() => new X509Certificate(certificate));
  if (!parsed) throw invalid("certificate", "Must be a certificate in PEM format");
  const key = attempt(() => createPrivateKey(privateKey));
  if (!key) throw invalid("private_key", "Must be a private key in PEM format");
  if (!parsed.checkPrivateKey(key)) throw invalid("private_key", "Must be the key of the certificate");
}

function attempt<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
