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
  objectKey: objectKey("Name of the object in the bucket. The object need not exist."),
  method: z.enum(["GET", "PUT", "DELETE"]).describe("What the URL may be used for."),
  expiresInSeconds: z
    .int()
    .min(360)
    .max(86_400)
    .describe(
      "Seconds for which a URL is valid; 3600 if not given. A new one is made when two thirds of them are over.",
    )
    .optional(),
  contentType: neededFor(["PUT"], contentType("Media type that is sent with the URL, exactly as given here.")),
  secretName: secretName(
    "Name of the Secret with the URL; <name>-presigned-url if not given. The short form of connectionSecret.name.",
  ).optional(),
  connectionSecret: publishedForm(["url", "method", "contentType"], "<name>-presigned-url").optional(),
});

const spec = belonging(fields, "method");

const naming = { suffix: "-presigned-url", short: "secretName" };

/** URLs that give access to one object without a key: part 3, sections 2.1 and 4.1; not-shown, section 5. */
export const presignedURL = defineSetting({
  kind: "PresignedURL",
  plural: "presignedurls",
  shortNames: ["cpurl"],
  doc: "A URL that gives whoever has it access to one object of a Bucket for some time, in a Secret that is renewed before the URL expires. Deleting this object deletes the Secret; a URL that was made stays valid until it expires.",
  columns: [
    { name: "Method", jsonPath: ".spec.method" },
    { name: "Secret", jsonPath: ".status.secretName" },
    { name: "Expires", jsonPath: ".status.expiresAt" },
  ],
  spec,
  status: z.object({
    expiresAt: optionalTime("When the URL in the Secret expires."),
    secretName: optionalText(253, "Name of the Secret with the URL."),
  }),
  wire: bucketRow,
  admission: [...publishedNameRules(naming)],
  risks: [
    {
      when: "object.spec.method != 'GET'",
      message: "spec.method is not GET: whoever has the URL may change the bucket",
    },
  ],
  references: { bucketRef: { kind: "Bucket", from: (of) => of.bucketRef, contained: true } },
  reach: "own",
  at: () => "/object-storage/buckets",
  identify: identifyBucket,
  itemPath: (_, id) => bucketPath(id),
  which: ({ refs }) => refs.bucketRef.id,
  fields: {},
  says: { name: "objectKey" },
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
      doc: "A URL to upload an object with.",
      spec: { bucketRef: { name: "media" }, objectKey: "in/new.csv", method: "PUT", contentType: "text/csv" },
      needs: [{ kind: "Bucket", example: "media" }],
    },
    {
      name: "inbox",
      doc: "One that is renewed every four hours, in a Secret that curl reads.",
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
      doc: "The short form of the name of its Secret.",
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
