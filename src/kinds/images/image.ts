import * as z from "zod";
import type { Readiness } from "../../core/kind/call.ts";
import { defineOwned } from "../../core/kind/owned.ts";
import { from, immutable, referenceTo, rule } from "../../core/kind/schema.ts";
import { nameFits } from "../label.ts";
import { publishedForm, secretName } from "../../core/kind/published.ts";
import { publishedName, publishedNameRules } from "../secret-name.ts";
import { rfc3339, timeField } from "../time.ts";
import { inStatus, whole } from "../wire.ts";

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

const source = rule(
  z.object({
    diskRef: referenceTo("ComputeDisk").describe("The disk to copy. It is not needed any more afterwards.").optional(),
    handOff: handOff.optional(),
  }),
  {
    cel: "has(self.diskRef) != has(self.handOff)",
    check: (of) => (of.diskRef === undefined) !== (of.handOff === undefined),
    message: "exactly one of diskRef and handOff must be given",
  },
);

const spec = z.object({
  label: z.string().min(1).max(50).describe("Label in the API; the object's name if not given.").optional(),
  description: z.string().min(1).max(65_000).describe("What it is, in words.").optional(),
  source: immutable(source.describe("What the image is made of. Cannot be changed.")),
  connectionSecret: publishedForm(["url", "method", "contentType"], "<name>-image-upload").optional(),
});

const naming = {
  suffix: "-image-upload",
  short: "source.handOff.secretName",
  when: "has(self.spec.source.handOff)",
  isFixed: true,
};

/** Images of the account: part 2, section 4.7; not-shown, section 3. */
export const image = defineOwned({
  kind: "Image",
  plural: "images",
  shortNames: ["cpimg"],
  doc: "A private image, for instances to be deployed from. Storing it costs money.",
  columns: [
    { name: "State", jsonPath: ".status.state" },
    { name: "Size MB", jsonPath: ".status.sizeMB", type: "integer" },
    { name: "ID", jsonPath: ".status.id" },
  ],
  spec,
  status: z.object({
    state: z.string().max(32).describe("State in the API's words, such as available.").optional(),
    sizeMB: z.int().describe("Size of the disk in the image, in MB.").optional(),
    secretName: z.string().max(253).describe("Name of the Secret with the URL, while data is waited for.").optional(),
    created: timeField("When it was created.").optional(),
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
  at: () => "/images",
  idPattern: {
    pattern: "^private/[1-9][0-9]{0,18}$",
    message: "must be the id of a private image, such as private/15001",
  },
  itemPath: (list, id) => `${list}/${id.split("/").map(encodeURIComponent).join("/")}`,
  eventEntity: "image",
  fields: {
    // The list has images of the cloud, too, which are nobody's.
    label: {
      want: ({ spec: of, name }) => of.label ?? name,
      have: (wire) => (wire.is_public ? undefined : wire.label),
      key: true,
    },
    description: { want: (of) => of.spec.description, have: (wire) => wire.description },
    disk_id: { says: "source.diskRef", want: ({ refs }) => numberOf(refs["source.diskRef"]?.id), on: "create" },
    region: { says: "source.handOff.region", want: (of) => of.spec.source.handOff?.region, on: "create" },
  },
  unique: "none",
  billable: true,
  createdField: "created",
  holdsData: true,
  verbs: {
    create: ({ spec: of }, body) => ({ method: "POST", path: of.source.handOff ? "/images/upload" : "/images", body }),
  },
  answered: (answer) => answer["image"] ?? answer,
  ready: ({ wire, name, spec: of }) => readiness(wire.status, nameOfSecret({ name, spec: of })),
  secret: {
    name: nameOfSecret,
    when: ({ spec: of, wire }) => of.source.handOff !== undefined && (wire?.status ?? pending) === pending,
    ofCreation: { url: "upload_to" },
    data: () => ({ method: "PUT", contentType: "application/octet-stream" }),
  },
  report: ({ wire, name, spec: of, adopted }) => ({
    state: wire.status,
    sizeMB: wire.size ?? undefined,
    secretName: wire.status === pending && of.source.handOff && !adopted ? nameOfSecret({ name, spec: of }) : undefined,
    created: rfc3339(wire.created),
  }),
  examples: [
    {
      name: "golden",
      doc: "An image of a disk.",
      spec: { source: { diskRef: { name: "data" } }, description: "The disk of the first web server." },
      changes: { label: { label: "golden-1" }, description: { description: "A disk of 2026." } },
      needs: [{ kind: "ComputeDisk", example: "data" }],
    },
  ],
});

const pending = "pending_upload";

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

function numberOf(id: string | undefined): number | undefined {
  return id === undefined ? undefined : Number(id);
}

function readiness(status: string, secret: string): Readiness {
  if (status === "available") return { ready: true };
  if (status === "creating")
    return { ready: false, reason: "Provisioning", message: "the image is being created", busy: true, afterMs: 10_000 };
  if (status !== pending) return { ...inStatus(status), busy: true };
  const message = `the image waits for its data. Send it with PUT to the URL in Secret ${secret} within 24 hours; after that, the cloud deletes the image. If that Secret is gone and nobody sends data, delete this object and create it again: another URL is made`;
  return { ready: false, reason: "WaitingForUpload", message, afterMs: 60_000 };
}
