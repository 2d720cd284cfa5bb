/** What an Image is made of: part 2, section 4.7. */
import * as z from "zod";
import { asValue } from "../../core/kind/leaf-class.ts";
import { from, referenceTo, rule } from "../../core/kind/schema.ts";
import { secretName } from "../../core/kind/published.ts";

const handOff = z
  .object({
    region: from("Region", z.string().min(1).max(64)).describe(
      "Region that the data is sent to. The image can be used in any region.",
    ),
    secretName: secretName(
      "Name of the Secret with the URL; <name>-image-upload if not given. The short form of spec.connectionSecret.name, which can be changed.",
    ).optional(),
  })
  .describe(
    "Data that somebody else sends: the URL for it is put into a Secret, for a job of yours to send a raw disk, compressed with gzip, of at most 5 GB, with PUT and the header `Content-type: application/octet-stream`, within 24 hours.",
  );

const form = "^https?://[^/@ ]+/[^ ]*$";

const download = z
  .object({
    region: handOff.shape.region,
    url: rule(
      asValue(z.string().min(1).max(2048)).describe("Where the data is. It is read again when it was interrupted."),
      {
        cel: `self.matches('${form}')`,
        check: (url) => new RegExp(form).test(url) && URL.canParse(url),
        message: "must be an http or https URL without credentials, such as https://images.example.org/base.img.gz",
      },
    ),
  })
  .describe(
    "Data that the operator reads and sends on as it comes: a raw disk, compressed with gzip, of at most 5 GB. Whoever runs the operator permits sources with the value `imageSources` of the chart. Redirects are not followed.",
  );

export const imageSource = rule(
  z.object({
    diskRef: referenceTo("ComputeDisk").describe("The disk to copy. It is not needed any more afterwards.").optional(),
    handOff: handOff.optional(),
    download: download.optional(),
  }),
  {
    cel: "[has(self.diskRef), has(self.handOff), has(self.download)].filter(one, one).size() == 1",
    check: (of) => [of.diskRef, of.handOff, of.download].filter((one) => one !== undefined).length === 1,
    message: "exactly one of diskRef, handOff and download must be given",
  },
);
