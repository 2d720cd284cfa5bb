/** Sources of an Image: part 2, section 4.7. */
import * as z from "zod";
import { asValue } from "../../core/kind/leaf-class.ts";
import { from, referenceTo, rule } from "../../core/kind/schema.ts";
import { secretName } from "../../core/kind/published.ts";

const handOff = z
  .object({
    region: from("Region", z.string().min(1).max(64)).describe(
      "Region that receives the data. You can use the image in any region.",
    ),
    secretName: secretName(
      "Name of the Secret with the URL. Defaults to <name>-image-upload. Short form of spec.connectionSecret.name, which can be changed.",
    ).optional(),
  })
  .describe(
    "Data that your own job sends. The operator writes the upload URL into a Secret. Send a raw disk, compressed with gzip, of at most 5 GB, with PUT and the header `Content-type: application/octet-stream`. The deadline is 24 hours after creation.",
  );

const form = "^https?://[^/@ ]+/[^ ]*$";

const download = z
  .object({
    region: handOff.shape.region,
    url: rule(
      asValue(z.string().min(1).max(2048)).describe(
        "URL of the data. After an interruption, the operator downloads the data again.",
      ),
      {
        cel: `self.matches('${form}')`,
        check: (url) => new RegExp(form).test(url) && URL.canParse(url),
        message: "must be an http or https URL without credentials, such as https://images.example.org/base.img.gz",
      },
    ),
  })
  .describe(
    "Data that the operator downloads and streams to the cloud: a raw disk, compressed with gzip, of at most 5 GB. The chart value `imageSources` must permit the URL. The operator follows no redirects.",
  );

export const imageSource = rule(
  z.object({
    diskRef: referenceTo("ComputeDisk").describe("Disk to copy. After the copy, you can delete the disk.").optional(),
    handOff: handOff.optional(),
    download: download.optional(),
  }),
  {
    cel: "[has(self.diskRef), has(self.handOff), has(self.download)].filter(one, one).size() == 1",
    check: (of) => [of.diskRef, of.handOff, of.download].filter((one) => one !== undefined).length === 1,
    message: "exactly one of diskRef, handOff and download must be given",
  },
);
