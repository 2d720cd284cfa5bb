import path from "node:path";
import { describe, expect, it } from "vitest";
import { reasonDocs } from "../../src/core/kind/reasons.ts";
import { commonStatus } from "../../src/core/kind/status-schema.ts";
import { loadKinds } from "../../src/generate/load-kinds.ts";
import { reasonsOf } from "../../src/generate/reasons-of.ts";
import statuses from "../../src/generate/statuses.json" with { type: "json" };

const { kinds } = await loadKinds(path.resolve(import.meta.dirname, "../../src/kinds"));
const seen: Record<string, { name: string; status: { conditions: { reason: string }[] } }> = statuses;

/** Fields that the first example of a kind does not show, each with its reason. */
const unseen: Record<string, string> = {
  "AccessPolicy.keptLogins": "the spec keeps none",
  "BetaEnrollment.ended": "the program has not ended",
  "BucketObject.currentACL": "the spec does not set it",
  "ComputeDisk.rootPasswordSecretName": "no image is deployed to it",
  "ComputeInstance.volumes": "no volume is attached",
  "ComputeInstance.nodeBalancers": "no NodeBalancer leads to it",
  "DomainRecord.referencedAddresses": "the record has an address in its spec",
  "Firewall.referencedAddresses": "the rules contain networks only",
  "ManagedMySQL.referencedAddresses": "the list contains networks only",
  "Image.secretName": "it is made of a disk, and nobody uploads data",
  "PhoneVerification.lastCodeSentAt": "the number is verified",
  "PhoneVerification.lastCodeValidUntil": "the number is verified",
  "Profile.verifiedPhoneNumber": "the user has none",
  "Profile.grants": "the user is not restricted",
  "UsageReport.cpuPercent": "the instance did not exist in that month",
  "UsageReport.ioBlocksPerSecond": "the instance did not exist in that month",
  "UsageReport.swapBlocksPerSecond": "the instance did not exist in that month",
};

describe.each(kinds.map(({ kind }) => kind).filter(({ examples }) => examples.length > 0))(
  "the status of $kind in the reference",
  (kind) => {
    it("is that of an example", () => {
      expect(kind.examples.map(({ name }) => name)).toContain(seen[kind.kind]?.name);
    });

    it("has fields that the definition has, and no other", () => {
      const { status } = seen[kind.kind] ?? {};
      expect(kind.status.parse(status)).toEqual(status);
    });

    it("has each field that the kind declares, but those that the example cannot show", () => {
      const shown = Object.keys(seen[kind.kind]?.status ?? {});
      const missing = Object.keys(kind.status.shape).filter(
        (field) => !(field in commonStatus) && !shown.includes(field),
      );
      const known = Object.keys(unseen).filter((name) => name.startsWith(`${kind.kind}.`));
      const why = "report must fill the field; if the example cannot show it, give the reason in this file";
      expect(missing.map((field) => `${kind.kind}.${field}`).toSorted(), why).toEqual(known.toSorted());
    });

    it("has conditions with reasons that the reference names", () => {
      const reasons: string[] = reasonsOf(kind);
      for (const { reason } of seen[kind.kind]?.status.conditions ?? []) expect(reasons).toContain(reason);
    });
  },
);

it("each reason is one of some kind", () => {
  const all = new Set(kinds.flatMap(({ kind }) => reasonsOf(kind)));
  expect(Object.keys(reasonDocs).filter((reason) => !all.has(reason as never))).toEqual([]);
});
