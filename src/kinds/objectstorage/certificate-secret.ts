/** The Secret of a BucketCertificate. */
import * as z from "zod";
import { objectName, readFrom } from "../../core/kind/schema.ts";

export const secretRef = z
  .object({
    name: readFrom(
      "Secret",
      objectName.describe("Name of a Secret in this namespace, such as one that cert-manager writes."),
    ),
  })
  .describe(
    "The Secret of type kubernetes.io/tls, with the certificate in `tls.crt` and its key in `tls.key`. If the Secret changes, the operator uploads the new certificate immediately.",
  );

/** The user must create the Secret of an exported certificate. */
export const certificateExport = {
  observeOnly: "the cloud API does not show the certificate, so the operator would upload it again",
  spec: ({ name }: { name: string }) => ({ secretRef: { name: `${name}-tls` } }),
};
