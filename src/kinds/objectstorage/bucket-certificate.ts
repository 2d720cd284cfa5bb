import { createPrivateKey, X509Certificate } from "node:crypto";
import * as z from "zod";
import { Invalid, Waiting } from "../../core/kind/outcome.ts";
import { defineOwned } from "../../core/kind/owned.ts";
import { immutable, referenceTo } from "../../core/kind/schema.ts";
import { bucketId, bucketPath } from "./bucket-spec.ts";
import { firstPair, secondPair } from "./certificate-examples.ts";
import { certificateExport, secretRef } from "./certificate-secret.ts";
import { optionalTime } from "../time.ts";

const withoutCertificate = z.object({ ssl: z.literal(false) });

/** TLS certificates of buckets: part 3, sections 2.1 and 4.1; not-shown, section 5. */
export const bucketCertificate = defineOwned({
  kind: "BucketCertificate",
  plural: "bucketcertificates",
  shortNames: ["cpbktcert"],
  idInWords: "omitted",
  doc: "A TLS certificate for the host name of a Bucket, from a Secret. The cloud API never shows the certificate: the operator stores a keyed digest of its last upload.",
  columns: [
    { name: "Bucket", jsonPath: ".spec.bucketRef.name" },
    { name: "Secret", jsonPath: ".spec.secretRef.name" },
    { name: "Expires", jsonPath: ".status.notAfter" },
  ],
  spec: z.object({ bucketRef: immutable(referenceTo("Bucket", bucketId)), secretRef }),
  status: z.object({ notAfter: optionalTime("Expiry of the certificate in the Secret.") }),
  wire: z.object({ ssl: z.literal(true) }),
  references: {
    bucketRef: { kind: "Bucket", from: (spec) => spec.bucketRef, contained: true },
    certificate: { secret: (spec) => spec.secretRef, specField: "secretRef", key: "tls.crt", encoding: "base64" },
    key: { secret: (spec) => spec.secretRef, specField: "secretRef", key: "tls.key", encoding: "base64" },
  },
  reach: "own",
  listPath: ({ refs }) => `${bucketPath(refs.bucketRef.id)}/ssl`,
  absentIn: (answer) => withoutCertificate.safeParse(answer).success,
  identify: () => "ssl",
  idPattern: { pattern: "^ssl$", message: 'must be "ssl": a bucket has one certificate' },
  fields: {
    // The operator does not send the field. The cloud API shows only that the bucket has a certificate.
    ssl: { desired: () => true, observed: (wire) => wire.ssl, key: true, fixed: true, on: "update" },
    certificate: {
      specField: "secretRef",
      desired: (wanted) => pairOf(wanted).certificate,
      on: "create",
      sensitive: true,
    },
    private_key: {
      specField: "secretRef",
      desired: (wanted) => pairOf(wanted).private_key,
      on: "create",
      sensitive: true,
    },
  },
  exports: certificateExport,
  unique: "enforced",
  digests: (wanted) => digestsOf(wanted),
  steps: {
    renewal: {
      reach: "own",
      concerns: "access",
      specFields: [],
      // An adopted certificate is unknown, so the operator replaces the certificate.
      calls: (live) => {
        const applies = digestsOf(live);
        if (live.applied?.["certificate"] === applies.certificate) return [];
        const path = `${bucketPath(live.refs.bucketRef.id)}/ssl`;
        const note = `the certificate of Secret ${live.spec.secretRef.name}`;
        return [
          {
            method: "DELETE",
            path,
            action: "RemoveCertificate",
            note: `removes the existing certificate, before the upload of ${note}`,
          },
          { method: "POST", path, body: pairOf(live), action: "RenewCertificate", note: `uploads ${note}`, applies },
        ];
      },
    },
  },
  report: ({ refs }) => ({ notAfter: expiryOf(refs.certificate) }),
  examples: [
    {
      name: "media-tls",
      doc: "The certificate of a bucket. If the Secret changes, the operator uploads the new certificate.",
      spec: { bucketRef: { name: "media" }, secretRef: { name: "media-tls" } },
      changes: { secretRef: { secretRef: { name: "media-tls-renewed" } } },
      needs: [{ kind: "Bucket", example: "media" }],
      secrets: { "media-tls": firstPair, "media-tls-renewed": secondPair },
    },
  ],
});

interface Source {
  spec: { secretRef: { name: string } };
  refs: { certificate: string | undefined; key: string | undefined };
}

function digestsOf({ digest, ...source }: Source & { digest: (value: string) => string }): { certificate: string } {
  const { certificate, private_key: key } = pairOf(source);
  return { certificate: digest(`${certificate}\n${key}`) };
}

/** Throws if the Secret does not contain a certificate and its key. */
function pairOf({ spec: { secretRef }, refs }: Source): { certificate: string; private_key: string } {
  const certificate = textOf(refs.certificate, `key tls.crt of Secret ${secretRef.name}`);
  const key = textOf(refs.key, `key tls.key of Secret ${secretRef.name}`);
  const parsed = attempt(() => new X509Certificate(certificate));
  if (!parsed) throw unfit(secretRef.name, "tls.crt", "is not a certificate in PEM format");
  const parsedKey = attempt(() => createPrivateKey(key));
  if (!parsedKey) throw unfit(secretRef.name, "tls.key", "is not a private key in PEM format without a passphrase");
  if (!parsed.checkPrivateKey(parsedKey)) throw unfit(secretRef.name, "tls.key", "is not the key of tls.crt");
  return { certificate, private_key: key };
}

function textOf(base64: string | undefined, what: string): string {
  if (base64 !== undefined) return Buffer.from(base64, "base64").toString("utf8");
  throw new Waiting(
    "WaitingForSecret",
    `${what} does not exist. The certificate in the cloud is not changed. Create the Secret with this key`,
  );
}

function unfit(secret: string, key: string, why: string): Invalid {
  return new Invalid(
    "spec.secretRef",
    `key ${key} of Secret ${secret} ${why}. Nothing is uploaded. Correct the Secret`,
  );
}

function expiryOf(certificate: string | undefined): string | undefined {
  const text = Buffer.from(certificate ?? "", "base64").toString("utf8");
  return attempt(() => new X509Certificate(text).validToDate.toISOString());
}

function attempt<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
