/** Specs of Images that are refused: part of refused.ts. */
import type { Refused } from "./refused.ts";

const disk = { source: { diskRef: { name: "data" } } };
const handOff = { region: "us-east" };
const exactlyOne = "exactly one of diskRef, handOff and download must be given";

export const refusedImages: Omit<Refused, "kind">[] = [
  { because: "it is made of something", spec: {}, says: "spec.source" },
  { because: "a source is chosen", spec: { source: {} }, says: exactlyOne },
  { because: "a source is one thing", spec: { source: { ...disk.source, handOff } }, says: exactlyOne },
  {
    because: "a disk is named in one way",
    spec: { source: { diskRef: { name: "data", id: "7" } } },
    says: "exactly one of name and id must be given",
  },
  { because: "a disk is named", spec: { source: { diskRef: {} } }, says: "exactly one of name and id must be given" },
  ...["data", "0", "private/7"].map((id) => ({
    because: `${id} is no id of a disk`,
    spec: { source: { diskRef: { id } } },
    says: "must be the number that the cloud API shows",
  })),
  {
    because: "data is sent on or handed off",
    spec: { source: { handOff, download: { region: "us-east", url: "https://images.example.org/a.img.gz" } } },
    says: exactlyOne,
  },
  ...["ftp://images.example.org/a.img.gz", "images.example.org/a.img.gz", "https://ada:x@images.example.org/a"].map(
    (url) => ({
      because: `${url} is no place to read from`,
      spec: { source: { download: { region: "us-east", url } } },
      says: "must be an http or https URL",
    }),
  ),
  { because: "data is sent to a region", spec: { source: { download: { url: "https://a.test/b" } } }, says: "region" },
  { because: "data is handed off to a region", spec: { source: { handOff: {} } }, says: "spec.source.handOff.region" },
  { because: "a region has a name", spec: { source: { handOff: { region: "" } } }, says: "spec.source.handOff.region" },
  {
    because: "a Secret's name is in lower case",
    spec: { source: { handOff: { ...handOff, secretName: "Upload" } } },
    says: "spec.source.handOff.secretName",
  },
  { because: "a label is not empty", spec: { ...disk, label: "" }, says: "spec.label" },
  { because: "a label has 50 characters", spec: { ...disk, label: "a".repeat(51) }, says: "spec.label" },
  { because: "a description is not empty", spec: { ...disk, description: "" }, says: "spec.description" },
  ...["compute/debian12", "15001", "private/0"].map((id) => ({
    because: `${id} is no private image`,
    spec: { ...disk, management: { adopt: { id } } },
    says: "must be the id of a private image",
  })),
];
