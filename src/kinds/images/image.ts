import * as z from "zod";
import type { Readiness } from "../../core/kind/call.ts";
import { defineOwned } from "../../core/kind/owned.ts";
import { immutable } from "../../core/kind/schema.ts";
import { labelField, nameFits } from "../label.ts";
import { publishedForm } from "../../core/kind/published.ts";
import { publishedName, publishedNameRules } from "../secret-name.ts";
import { imageExport } from "./image-export.ts";
import { imageSource } from "./image-source.ts";
import { optionalTime, rfc3339 } from "../time.ts";
import { inStatus, whole } from "../wire.ts";
import { imageExamples } from "./image-examples.ts";
import { optionalText, someText } from "../text.ts";

/** The largest compressed image: part 2, section 8. */
const mostBytes = 5 * 1024 ** 3;

const spec = z.object({
  label: someText(50, "Label in the API. Defaults to the name of the object."),
  description: someText(65_000, "Free text about the image."),
  source: immutable(imageSource.describe("Source of the image. Cannot be changed.")),
  connectionSecret: publishedForm(["url", "method", "contentType"], "<name>-image-upload").optional(),
});

const naming = {
  suffix: "-image-upload",
  short: "source.handOff.secretName",
  when: "!has(self.spec.source.diskRef)",
  isFixed: true,
};

/** Images of the account: part 2, section 4.7; not-shown, section 3. */
export const image = defineOwned({
  kind: "Image",
  plural: "images",
  shortNames: ["cpimg"],
  doc: "A private image for new instances. Storing the image costs money.",
  columns: [
    { name: "State", jsonPath: ".status.state" },
    { name: "Size MB", jsonPath: ".status.sizeMB", type: "integer" },
    { name: "Secret", jsonPath: ".status.secretName" },
    { name: "ID", jsonPath: ".status.id" },
  ],
  spec,
  status: z.object({
    state: optionalText(32, "State in the API's words, such as available."),
    sizeMB: z.int().describe("Size of the disk in the image, in MB.").optional(),
    secretName: optionalText(253, "Name of the Secret with the upload URL. Present until the data arrives."),
    created: optionalTime("Creation time in the cloud."),
  }),
  wire: z.object({
    id: z.string(),
    label: z.string(),
    description: z.string().nullish(),
    is_public: z.boolean().nullish(),
    size: whole().nullish(),
    status: z.string(),
    created: z.string().nullish(),
  }),
  admission: [nameFits({ min: 1, max: 50 }), ...publishedNameRules(naming)],
  references: { "source.diskRef": { kind: "ComputeDisk", from: (of) => of.source?.diskRef, creationOnly: true } },
  reach: "own",
  listPath: () => "/images",
  idPattern: {
    pattern: "^private/[1-9][0-9]{0,18}$",
    message: "must be the id of a private image, such as private/15001",
  },
  itemPath: (list, id) => `${list}/${id.split("/").map(encodeURIComponent).join("/")}`,
  eventEntity: "image",
  fields: {
    // The list also contains public images, which belong to the cloud.
    label: { ...labelField, observed: (wire) => (wire.is_public ? undefined : wire.label) },
    description: { desired: (of) => of.spec.description, observed: (of) => of.description, concerns: "none" },
    disk_id: { specField: "source.diskRef", desired: ({ refs }) => numberOf(refs["source.diskRef"]?.id), on: "create" },
    region: {
      specField: ["source.handOff.region", "source.download.region"],
      desired: (of) => awaitedIn(of.spec)?.region,
      on: "create",
    },
  },
  exports: imageExport,
  unique: "none",
  billable: true,
  createdField: "created",
  holdsData: true,
  loses: "the image",
  verbs: {
    create: ({ spec: of }, body) => ({ method: "POST", path: awaitedIn(of) ? "/images/upload" : "/images", body }),
  },
  answered: (answer) => answer["image"] ?? answer,
  ready: ({ wire, name, spec: of }) =>
    readiness(wire.status, nameOfSecret({ name, spec: of }), of.source.download !== undefined),
  secret: {
    name: nameOfSecret,
    when: ({ spec: of, wire }) => awaitedIn(of) !== undefined && (wire?.status ?? pending) === pending,
    ofCreation: { url: "upload_to" },
    data: () => ({ method: "PUT", contentType: "application/octet-stream" }),
  },
  upload: {
    from: (of) => of.source.download && { field: "source.download.url", url: of.source.download.url },
    awaited: (wire) => wire.status === pending,
    key: "url",
    contentType: "application/octet-stream",
    mostBytes,
  },
  report: ({ wire, name, spec: of, adopted }) => ({
    state: wire.status,
    sizeMB: wire.size ?? undefined,
    secretName: wire.status === pending && awaitedIn(of) && !adopted ? nameOfSecret({ name, spec: of }) : undefined,
    created: rfc3339(wire.created),
  }),
  examples: imageExamples,
});

const pending = "pending_upload";

/** Returns the region of an upload. Undefined if the source is a disk. */
function awaitedIn({ source: of }: z.output<typeof spec>): { region: string } | undefined {
  return of.handOff ?? of.download;
}

interface Owner {
  name: string;
  spec: {
    source: { handOff?: { secretName?: string | undefined } | undefined };
    connectionSecret?: { name?: string | undefined } | undefined;
  };
}

function nameOfSecret({ name, spec: of }: Owner): string {
  return publishedName(name, of, of.source.handOff?.secretName, naming);
}

const numberOf = (id: string | undefined) => (id === undefined ? undefined : Number(id));

function readiness(status: string, secret: string, downloaded: boolean): Readiness {
  if (status === "available") return { ready: true };
  if (status === "creating")
    return { ready: false, reason: "Provisioning", message: "the image is being created", busy: true, afterMs: 10_000 };
  if (status !== pending) return { ...inStatus(status), busy: true };
  // The upload reports its own progress, unless the upload cannot begin.
  if (downloaded) {
    const lost = `the image waits for its data, and Secret ${secret} does not hold the URL that it is sent to. Delete this object and create it again to get a new URL`;
    return { ready: false, reason: "WaitingForUpload", message: lost, afterMs: 60_000 };
  }
  const message = `the image waits for its data. Send it with PUT to the URL in Secret ${secret} within 24 hours; after that, the cloud deletes the image. If the Secret does not exist and no job sends data, delete this object and create it again to get a new URL`;
  return { ready: false, reason: "WaitingForUpload", message, afterMs: 60_000 };
}
