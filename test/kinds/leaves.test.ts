/** Each leaf of each spec has a class, and each kind and step states its reach. */
import * as z from "zod";
import { describe, expect, it } from "vitest";
import { asValue, cloudName } from "../../src/core/kind/leaf-class.ts";
import { leavesOf } from "../../src/core/kind/leaves.ts";
import { freeForm, idOf, referenceTo, secretKeyReference, setOf } from "../../src/core/kind/schema.ts";
import { tenancyOf } from "../../src/core/model/tenancy.ts";
import { cloudAccount } from "../../src/kinds/account/cloud-account.ts";
import { kinds } from "../../src/kinds/registry.ts";

const unclassified = (spec: z.ZodType): string[] =>
  leavesOf(spec).flatMap(({ path, leaf }) => (leaf === undefined ? path : []));

describe("the leaves of a spec", () => {
  it.each([...kinds, cloudAccount].map((kind) => [kind.kind, kind] as const))("%s: each has a class", (_, { spec }) => {
    expect(unclassified(spec)).toEqual([]);
  });

  it.each<[string, z.ZodType, string[]]>([
    ["a text may be a name", z.object({ image: z.string().max(128) }), ["image"]],
    ["an optional text too", z.object({ image: z.string().max(128).optional() }), ["image"]],
    ["an item of a list", z.object({ users: setOf(z.string().max(64), 8) }), ["users[]"]],
    ["a number without an upper bound may be an ID", z.object({ volume: z.int().min(1) }), ["volume"]],
    ["a bounded number whose name says ID", z.object({ volumeID: z.int().min(1).max(100) }), ["volumeID"]],
    ["a bounded number in a list of IDs", z.object({ diskIDs: setOf(z.int().max(9), 8) }), ["diskIDs[]"]],
    ["a map of texts may hold names", z.object({ data: z.record(z.string(), z.string()) }), ["data{}"]],
    ["an object of any contents", z.object({ data: freeForm("Anything.") }), ["data"]],
    ["a nested text", z.object({ source: z.object({ url: z.string() }).optional() }), ["source.url"]],
  ])("without a mark are found: %s", (_, spec, found) => {
    expect(unclassified(spec)).toEqual(found);
  });

  it("need no mark if they are a choice, a switch or a bounded quantity", () => {
    const spec = z.object({ on: z.boolean(), how: z.enum(["a", "b"]), nodes: z.literal([1, 3]), size: z.int().max(9) });
    expect(unclassified(spec)).toEqual([]);
  });

  it("keep their class through description, optionality and rules", () => {
    const spec = z.object({
      text: asValue(z.string()).describe("A text.").optional(),
      volume: cloudName("Volume", z.int().min(1)).describe("A volume.").optional(),
      diskRef: referenceTo("ComputeDisk").describe("A disk.").optional(),
      apps: setOf(idOf("App").describe("An app."), 8).optional(),
      secretRef: secretKeyReference("A Secret.", "key").optional(),
    });
    expect(leavesOf(spec).map(({ path, leaf }) => `${path} ${leaf?.is}`)).toEqual([
      "text value",
      "volume cloudName",
      "diskRef.name reference",
      "diskRef.id cloudName",
      "apps[] cloudName",
      "secretRef.name secret",
      "secretRef.key value",
    ]);
  });
});

/** Written by hand from the API documents: what a spec can name that other users of the account may own. */
const names = {
  AccessPolicy: ["apps.allow[].id", "apps.allow[].label", "apps.notOwn[]", "keepLogins[]"],
  ComputeAction: [
    "image",
    "configID",
    "rebuild.authorizedUsers[]",
    "rebuild.stackScript.id",
    "clone.diskIDs[]",
    "clone.configIDs[]",
    "diskID",
    "rescueDiskIDs[]",
    "rescueVolumeIDs[]",
    "backupID",
  ],
  ComputeConfig: "abcdefgh"
    .split("")
    .map((slot) => `devices.sd${slot}.volumeID`)
    .concat("interfaces[].label"),
  ComputeDisk: ["image", "stackScript.id", "authorizedUsers[]"],
  ComputeInstance: [
    "image",
    "source.clone.diskIDs[]",
    "source.clone.configIDs[]",
    "stackScript.id",
    "authorizedUsers[]",
    "interfaces[].label",
  ],
  IPAssignment: ["address", "exchangeFor"],
  IPSharing: ["addresses[]"],
  IPv6Range: ["routeTarget"],
  ReverseDNS: ["address"],
  Tag: ["volumeIDs[]", "nodeBalancerIDs[]"],
};

it("the names of cloud objects in all specs are these, beside references and adoption", () => {
  const found = kinds.flatMap(({ kind, spec }) => {
    const paths = leavesOf(spec).flatMap(({ path, leaf }) => (leaf?.is === "cloudName" ? path : []));
    const own = paths.filter((path) => !/(^|\.)(\w+Refs?(\[\])?|backup)\.id$|^management\./.test(path));
    return own.length === 0 ? [] : [[kind, own.toSorted()]];
  });
  const wanted = Object.entries(names).map(([kind, paths]) => [kind, paths.toSorted()]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted));
});

describe("the reach", () => {
  /** Kinds that act on the account, or on the user of its token, or that show what the account holds. */
  const ofAccount = [
    "AccessPolicy",
    "AccountAction",
    "BetaEnrollment",
    "Inventory",
    "PhoneVerification",
    "Profile",
    "ProfilePreferences",
    "SSHKey",
    "SecurityQuestions",
  ];

  it("is the account for kinds below /account and /profile, and for surveys", () => {
    const below = kinds.filter(
      ({ shape, listPath: at }) =>
        shape === "survey" ||
        /^\/(account|profile)/.test(at({ name: "", namespace: "", spec: {}, refs: anyReference })),
    );
    expect(below.map(({ kind }) => kind).toSorted()).toEqual(ofAccount);
    expect(
      kinds
        .filter(({ reach }) => reach === "account")
        .map(({ kind }) => kind)
        .toSorted(),
    ).toEqual(ofAccount);
  });

  it("is stated by each kind and each step", () => {
    const stated = new Set(["own", "existing", "account", "spec"]);
    const reaches = kinds.map(tenancyOf).flatMap(({ reach, steps }) => [reach, Object.values(steps)].flat());
    expect(reaches.length).toBeGreaterThan(45);
    expect(reaches.filter((reach) => !stated.has(reach))).toEqual([]);
  });
});

const anyReference = new Proxy({}, { get: () => ({ id: "1" }) as never });
