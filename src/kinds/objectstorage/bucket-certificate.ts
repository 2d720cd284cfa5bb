import * as z from "zod";
import { defineOwned } from "../../core/kind/owned.ts";
import { immutable, referenceTo } from "../../core/kind/schema.ts";
import { bucketId, bucketPath } from "./bucket-spec.ts";
import { firstPair, secondPair } from "./certificate-examples.ts";
import { certificateWords, digestsOf, expiryOf, pairOf } from "./certificate-pair.ts";
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
        const { before, after } = certificateWords(live, live.reported());
        return [
          { method: "DELETE", path, action: "RemoveCertificate", note: `${before} → nothing, then the ${after}` },
          { method: "POST", path, body: pairOf(live), action: "RenewCertificate", note: `nothing → ${after}`, applies },
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
