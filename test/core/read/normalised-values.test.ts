/** Every value of every create request, normalised by the service: a single POST, no orphan, and a report of the difference. */
import { isIP } from "node:net";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/api/types.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { text } from "../../world/collections.ts";
import { manage, stateOf } from "../support.ts";
import { creationsOf, expectNoOrphan, leavesOf, reportOf, settleMs, stageFor, storeOtherwise } from "./normalised.ts";
import type { Change, Path } from "./normalised.ts";

/** Values without a report, by kind and field, each with the reason. */
const unseen: [RegExp, string][] = [
  [/ (root_pass|authorized_\w+|stackscript_\w+|metadata)\b/, "the cloud API never returns what deploys an image"],
  [/ (private_ip|swap_size)$/, "the cloud API shows the result as an address or a disk of the instance"],
  [/^(ComputeDisk image|DatabaseBackup target)$/, "the row does not show it"],
  [/^ManagedMySQL engine$/, "the row shows the version, which the service updates"],
  [/^BucketCertificate /, "the cloud API shows only that there is a certificate"],
  [/^BucketObject (method|expires_in|content_type)$/, "the value is of the signed URL, not of the object"],
  [/ (backups_enabled|booted|route_target)$/, "another request of the kind corrects it"],
];

/** Texts without a difference between capital and small letters, such as names in the DNS, addresses and tags. */
const caseless =
  /^(Domain (domain|axfr_ips|master_ips)|DomainRecord (A|AAAA|CNAME|MX|NS|SRV|TXT|CAA) (name|service|protocol)|DomainRecord (A|AAAA|CNAME|MX|NS|SRV) target|IPv6Range route_target|Firewall .*ipv6|(ComputeInstance|Domain|Firewall) tags)\b/;

/** Creations with a result for the user to confirm, each with the reason. */
const uncertain: [RegExp, string][] = [
  [/^(DatabaseBackup label|BetaEnrollment id) .*x$/, "the response names nothing, and the search finds a near match"],
  [/^Bucket (acl|cors_enabled) /, "a creation returns an existing bucket, and settings tell the two apart"],
];

/** The key of an object is the URL of its PUT: no store changes it. */
const isExcluded = (field: string) => field.startsWith("BucketObject name");

const installationTag = "cpo-test";

/** Values that have another word in the spec. */
const inSpec: Record<string, Json[]> = { "Domain status": [true, false] };

function otherForms(sent: Json): Json[] {
  if (typeof sent === "number") return [sent + 1];
  if (typeof sent !== "string") return [!sent];
  const other = isIP(sent) === 4 ? "192.0.2.99" : isIP(sent) === 6 ? "2001:db8::99" : `${sent}x`;
  return [sent.toUpperCase(), other].filter((stored) => stored !== sent);
}

function fieldOf(kind: string, path: Path, { type }: JsonObject): string {
  const names = path.filter((name) => typeof name === "string");
  return [kind, ...(kind === "DomainRecord" ? [text(type)] : []), names.join(".")].join(" ");
}

const owned = kinds.filter(({ shape }) => shape === "owned");
const examples = owned.flatMap((kind) =>
  kind.examples.filter(({ shownOnly }) => !shownOnly).map((example) => ({ kind, example, of: kind.kind })),
);
const covered = new Set<string>();

for (const { kind, example, of } of examples) {
  const { name } = example;
  const { world, create } = await stageFor(kind, example);
  const existing = new Set(world.cloud.history().map(({ id }) => Number(id)));
  await create();
  // The world in memory has no import and no copy of a domain.
  if (stateOf(world, of, name) !== "Ready") continue;
  const { body = {} } = creationsOf(world, kind, name)[0] ?? {};
  const changes = leavesOf(body)
    .filter(({ value }) => typeof value !== "number" || !existing.has(value))
    .flatMap(({ path, value }) => otherForms(value).map((stored): Change => ({ path, sent: value, stored })))
    .map((change) => ({ change, field: fieldOf(of, change.path, body) }))
    .filter(({ field }) => !isExcluded(field));
  if (changes.length > 0) covered.add(of);
  describe.each(changes)(
    `${of} ${name}: a service that stores another $field ($change.sent → $change.stored)`,
    (one) => {
      const { change, field } = one;
      const what = `${field} ${text(change.stored)}`;
      const isSame = caseless.test(field) && text(change.sent).toUpperCase() === change.stored;
      const isUnseen = isSame || change.sent === installationTag || unseen.some(([fields]) => fields.test(field));

      it("gets one POST, the object reports the difference, and its deletion leaves nothing", async () => {
        const stage = await stageFor(kind, example);
        storeOtherwise(stage.world, change);
        await stage.create();
        if (uncertain.some(([fields]) => fields.test(what))) {
          await stage.world.advance(1_300_000);
          expect(stateOf(stage.world, of, name)).toBe("CreateUncertain");
          const [id = ""] = /adopt\.id: "([^"]+)"/.exec(reportOf(stage.world, of, name))?.slice(1) ?? [];
          expect(id).not.toBe("");
          manage(stage.world, of, name, {
            adopt: { id },
            ...(kind.stays === undefined && { deletionPolicy: "Delete" }),
          });
          await stage.world.advance(settleMs);
        }
        const report = reportOf(stage.world, of, name);
        expect(creationsOf(stage.world, kind, name), report).toHaveLength(1);
        const values = inSpec[field] ?? [change.sent, change.stored];
        if (!isUnseen) for (const value of values) expect(report).toContain(short(value));
        if (kind.stays === undefined) await expectNoOrphan(stage.world, of, name, stage.before);
      });
    },
  );
}

/** Messages cut long values. */
function short(value: Json): string {
  return JSON.stringify(value).slice(1, 70).replace(/"$/, "");
}

it("The table has each owned kind", () =>
  expect([...covered].toSorted()).toEqual(owned.map(({ kind }) => kind).toSorted()));
