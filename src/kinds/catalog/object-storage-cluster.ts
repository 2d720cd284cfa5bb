import * as z from "zod";
import { defineMirror } from "../../core/kind/mirror.ts";
import { optionalText } from "../text.ts";

/** Clusters of object storage: part 3, section 4.1; not-shown, section 5. */
export const objectStorageCluster = defineMirror({
  kind: "ObjectStorageCluster",
  plural: "objectstorageclusters",
  shortNames: ["cpclusters", "cpcluster"],
  doc: "A cluster of object storage. Use `status.id` as `spec.cluster` of a Bucket.",
  columns: [
    { name: "Region", jsonPath: ".status.region" },
    { name: "State", jsonPath: ".status.state" },
    { name: "Domain", jsonPath: ".status.domain", long: true },
    { name: "Static site domain", jsonPath: ".status.staticSiteDomain", long: true },
  ],
  status: z.object({
    region: optionalText(64, "Region of the cluster."),
    state: optionalText(32, "State in the cloud API: available or unavailable."),
    domain: optionalText(253, "Parent domain of the host names of buckets."),
    staticSiteDomain: optionalText(253, "Parent domain of the host names of buckets that serve static sites."),
  }),
  path: "/object-storage/clusters",
  wire: z.object({
    id: z.string(),
    region: z.string().nullish(),
    status: z.string().nullish(),
    domain: z.string().nullish(),
    static_site_domain: z.string().nullish(),
  }),
  report: (wire) => ({
    region: wire.region ?? undefined,
    state: wire.status ?? undefined,
    domain: wire.domain ?? undefined,
    staticSiteDomain: wire.static_site_domain ?? undefined,
  }),
  example: {
    id: "us-east-1",
    region: "us-east",
    status: "available",
    domain: "us-east-1.objects.example.com",
    static_site_domain: "website-us-east-1.objects.example.com",
  },
});
