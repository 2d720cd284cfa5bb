import * as z from "zod";
import { belonging, neededFor } from "../../core/kind/rules.ts";
import { immutable, referenceTo } from "../../core/kind/schema.ts";
import { defineSetting } from "../../core/kind/setting.ts";
import { given } from "../given.ts";
import { publishedForm, secretName } from "../../core/kind/published.ts";
import { publishedName, publishedNameRules } from "../secret-name.ts";
import { optionalTime } from "../time.ts";
import { bucketRow, identifyBucket } from "./bucket-row.ts";
import { bucketId, bucketPath } from "./bucket-spec.ts";
import { contentType, objectKey } from "./object-spec.ts";
import { optionalText } from "../text.ts";

const fields = z.object({
  bucketRef: immutable(referenceTo("Bucket", bucketId)),
  objectKey: objectKey("Name of the object in the bucket. The object can be absent."),
  method: z.enum(["GET", "PUT", "DELETE"]).describe("HTTP method that the URL permits."),
  expiresInSeconds: z
    .int()
    .min(360)
    .max(86_400)
    .describe(
      "Lifetime of a URL, in seconds. Defaults to 3600. The operator creates a new URL after two thirds of the lifetime.",
    )
    .optional(),
  contentType: neededFor(
    ["PUT"],
    contentType("Media type that a client must send with the URL, exactly in this spelling."),
  ),
  secretName: secretName(
    "Name of the Secret with the URL. Defaults to <name>-presigned-url. Short form of connectionSecret.name.",
  ).optional(),
  connectionSecret: publishedForm(["url", "method", "contentType"], "<name>-presigned-url").optional(),
});

const spec = belonging(fields, "method");

const naming = { suffix: "-presigned-url", short: "secretName" };

/** URLs for access to one object without a key: part 3, sections 2.1 and 4.1; not-shown, section 5. */
export const presignedURL = defineSetting({
  kind: "PresignedURL",
  plural: "presignedurls",
  shortNames: ["cpurl"],
  noun: "bucket",
  doc: "A URL that gives every holder temporary access to one object of a Bucket. The operator writes the URL to a Secret, and renews the URL before it expires. Deleting this object deletes the Secret, but existing URLs stay valid until their expiry.",
  columns: [
    { name: "Method", jsonPath: ".spec.method" },
    { name: "Secret", jsonPath: ".status.secretName" },
    { name: "Expires", jsonPath: ".status.expiresAt" },
  ],
  spec,
  status: z.object({
    expiresAt: optionalTime("Expiry of the URL in the Secret."),
    secretName: optionalText(253, "Name of the Secret with the URL."),
  }),
  wire: bucketRow,
  admission: [...publishedNameRules(naming)],
  risks: [
    {
      fields: ["method"],
      when: "object.spec.method != 'GET'",
      message: "spec.method is not GET: every holder of the URL can change the bucket",
    },
  ],
  references: { bucketRef: { kind: "Bucket", from: (of) => of.bucketRef, contained: true } },
  reach: "own",
  listPath: () => "/object-storage/buckets",
  identify: identifyBucket,
  itemPath: (_, id) => bucketPath(id),
  which: ({ refs }) => refs.bucketRef.id,
  fields: {},
  specFields: { name: "objectKey" },
  secret: {
    name: nameOfSecret,
    issued: {
      keys: ["url"],
      request: ({ spec: { method, objectKey: name, expiresInSeconds, contentType: type }, refs }) => ({
        method: "POST",
        path: `${bucketPath(refs.bucketRef.id)}/object-url`,
        body: given({ method, name, expires_in: expiresInSeconds, content_type: type }),
        action: "SignURL",
        note: `a URL to ${method} ${JSON.stringify(name).slice(0, 200)}`,
      }),
      values: (answer) => z.object({ url: z.url({ protocol: /^https?$/ }) }).parse(answer),
      lifeMs: ({ spec: { expiresInSeconds = 3_600 } }) => expiresInSeconds * 1_000,
    },
    data: ({ spec: { method, contentType: type } }) => ({ method, ...(type !== undefined && { contentType: type }) }),
  },
  report: ({ expiresAt, ...of }) => ({ expiresAt, secretName: expiresAt === undefined ? undefined : nameOfSecret(of) }),
  examples: [
    {
      name: "report",
      doc: "A URL to download an object, in the Secret `report-presigned-url`.",
      spec: { bucketRef: { name: "media" }, objectKey: "reports/2026.pdf", method: "GET", expiresInSeconds: 7_200 },
      changes: {
        objectKey: { objectKey: "reports/2027.pdf" },
        expiresInSeconds: { expiresInSeconds: 360 },
        secretName: { secretName: "report" },
        connectionSecret: { connectionSecret: { template: { curl: "url = {{ .url }}" } } },
      },
      needs: [{ kind: "Bucket", example: "media" }],
    },
    {
      name: "dropbox",
      doc: "A URL to upload an object.",
      spec: { bucketRef: { name: "media" }, objectKey: "in/new.csv", method: "PUT", contentType: "text/csv" },
      needs: [{ kind: "Bucket", example: "media" }],
    },
    {
      name: "inbox",
      doc: "A URL that the operator renews every four hours, in a Secret with a configuration for curl.",
      spec: {
        bucketRef: { name: "media" },
        objectKey: "in/daily.csv",
        method: "PUT",
        contentType: "text/csv",
        expiresInSeconds: 21_600,
        connectionSecret: { name: "inbox", template: { curlrc: "url = {{ .url }}" } },
      },
      needs: [{ kind: "Bucket", example: "media" }],
      shownOnly: true,
    },
    {
      name: "shared-report",
      doc: "A URL with a chosen name for the Secret.",
      spec: { bucketRef: { name: "media" }, objectKey: "reports/2026.pdf", method: "GET", secretName: "report-url" },
      needs: [{ kind: "Bucket", example: "media" }],
      shownOnly: true,
    },
  ],
});

interface Owner {
  name: string;
  spec: { secretName?: string | undefined; connectionSecret?: { name?: string | undefined } | undefined };
}

function nameOfSecret({ name, spec: of }: Owner): string {
  return publishedName(name, of, of.secretName, naming);
}
