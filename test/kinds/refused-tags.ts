/** Specs of Tag, and specs with tags, that are refused, each for one reason; see refused.ts. */
import type { Refused } from "./refused.ts";

const web = [{ name: "web" }];
const rows: Omit<Refused, "kind">[] = [
  { because: "a label has three characters", spec: { label: "ab" }, says: "spec.label" },
  { because: "a label has at most fifty", spec: { label: "x".repeat(51) }, says: "spec.label" },
  { because: "a label is a text", spec: { label: 7 }, says: "spec.label" },
  {
    because: "the operator's own tag is none of these",
    spec: { label: "cpo-shop" },
    says: "is reserved for the tags of operator installations",
  },
  { because: "instances are a list", spec: { label: "shop", instanceRefs: "web" }, says: "spec.instanceRefs" },
  {
    because: "an instance has a name or an id",
    spec: { label: "shop", instanceRefs: [{ name: "web", id: "1001" }] },
    says: "exactly one of name and id",
  },
  { because: "an instance is named", spec: { label: "shop", instanceRefs: [{}] }, says: "exactly one of name and id" },
  {
    because: "an instance's id is a number",
    spec: { label: "shop", instanceRefs: [{ id: "web" }] },
    says: "must be the number that the cloud API shows",
  },
  {
    because: "an instance is listed once",
    spec: { label: "shop", instanceRefs: [...web, ...web] },
    says: "must not have duplicates",
  },
  {
    because: "a domain is listed once",
    spec: { label: "shop", domainRefs: [{ id: "1" }, { id: "1" }] },
    says: "must not have duplicates",
  },
  { because: "a volume's id is a number", spec: { label: "shop", volumeIDs: ["data"] }, says: "spec.volumeIDs" },
  { because: "a volume's id is positive", spec: { label: "shop", volumeIDs: [0] }, says: "spec.volumeIDs" },
  { because: "a volume is listed once", spec: { label: "shop", volumeIDs: [7, 7] }, says: "spec.volumeIDs" },
  {
    because: "a NodeBalancer's id is positive",
    spec: { label: "shop", nodeBalancerIDs: [-1] },
    says: "spec.nodeBalancerIDs",
  },
  {
    because: "what is adopted is named by its label",
    spec: { label: "shop", management: { adopt: { id: "ab" } } },
    says: "must be the label of the tag",
  },
];

const reserved = {
  because: "the tag of an installation is reserved",
  says: "is reserved for the tags of operator installations. Choose another tag",
};
const tags = ["shop", "cpo-8bcb7210"];

const inLists: Refused[] = [
  { kind: "ComputeInstance", spec: { region: "us-east", type: "g6-standard-1", tags }, ...reserved },
  { kind: "Domain", spec: { domain: "example.org", type: "master", soaEmail: "dns@example.org", tags }, ...reserved },
  { kind: "Firewall", spec: { inboundPolicy: "DROP", outboundPolicy: "ACCEPT", tags }, ...reserved },
];

export const refusedTags: Refused[] = [...rows.map((one) => Object.assign({ kind: "Tag" }, one)), ...inLists];
