/** What the cloud API refuses is said in the words of the spec, with its value and the nearest valid names. */
import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/api/types.ts";
import { HttpError } from "../../../src/api/errors.ts";
import type { FieldError } from "../../../src/api/errors.ts";
import { explained, refusalOf } from "../../../src/core/read/explain.ts";
import type { Connected } from "../../../src/core/model/context.ts";
import { verdictOf } from "../../../src/core/kind/outcome.ts";
import { enabledKinds } from "../../../src/wiring/enabled.ts";
import type { Mirror } from "../../../src/core/kind/mirror.ts";
import { betaEnrollment } from "../../../src/kinds/account/beta-enrollment.ts";
import { requestOf } from "../../../src/kinds/compute/action-requests.ts";
import type { ActionSpec } from "../../../src/kinds/compute/action-spec.ts";
import { computeAction } from "../../../src/kinds/compute/compute-action.ts";
import { computeConfig } from "../../../src/kinds/compute/compute-config.ts";
import { computeInstance } from "../../../src/kinds/compute/compute-instance.ts";
import { managedMySQL } from "../../../src/kinds/databases/managed-mysql.ts";
import { domain } from "../../../src/kinds/domains/domain.ts";
import { image } from "../../../src/kinds/images/image.ts";
import { firewall } from "../../../src/kinds/networking/firewall.ts";
import { ipAddress } from "../../../src/kinds/networking/ip-address.ts";
import { ipAssignment } from "../../../src/kinds/networking/ip-assignment.ts";
import { ipSharing } from "../../../src/kinds/networking/ip-sharing.ts";
import { ipv6Range } from "../../../src/kinds/networking/ipv6-range.ts";
import { bucket } from "../../../src/kinds/objectstorage/bucket.ts";
import { presignedURL } from "../../../src/kinds/objectstorage/presigned-url.ts";

const regions = ["us-east", "us-west", "us-southeast", "eu-west", "eu-central", "ap-south", "ap-west"];

interface Shown {
  /** What the spec refers to, resolved. */
  refs?: object;
  list?: string[];
  kind?: object;
  /** What other paths answer; 404 where they are not named. */
  at?: Record<string, Json | Error>;
  /** Catalogs that the operator writes as objects. */
  mirrors?: Mirror[];
  /** Endpoint of the CloudAccount. */
  endpoint?: string;
}

function setting(spec: object, options: Shown = {}) {
  const { list = regions, kind = computeInstance, at: shown = {}, refs = {}, mirrors, endpoint } = options;
  const asked: string[] = [];
  let now = 0;
  const client = {
    get: (path: string) => {
      asked.push(path);
      const answer = shown[path] ?? notFound(path);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    list: (path: string) => {
      asked.push(path);
      const { [path]: rows } = shown;
      if (rows) return Promise.resolve({ rows });
      return list.length > 0
        ? Promise.resolve({ rows: list.map((id) => ({ id })) })
        : Promise.reject(new Error("no scope"));
    },
  };
  const environment = {
    clock: { now: () => now },
    catalogs: mirrors && { mirrors: new Map(mirrors.map((one) => [one.kind, one])) },
    caches: new Map([["CloudAccount", { get: () => ({ spec: { endpoint } }) }]]),
  };
  const object = { metadata: { namespace: "default", name: "subject" } };
  const ctx = {
    phase: "located",
    kind,
    object,
    spec,
    desired: { spec, refs },
    session: { client },
    environment,
  } as unknown as Connected;
  const say = async (...errors: FieldError[]) => {
    const error = new HttpError("text", { method: "POST", path: "/x", status: 400, errors, outcome: "refused" });
    const verdict = await explained(ctx, error, verdictOf(error));
    return "message" in verdict ? verdict.message : verdict.state;
  };
  return { at: ctx, say, asked, pass: (ms: number) => (now += ms) };
}

function notFound(path: string): HttpError {
  return new HttpError("text", { method: "GET", path, status: 404, errors: [], outcome: "refused" });
}

const badRegion = { field: "region", reason: "region is not valid" };

describe("a refusal", () => {
  it("names the field, the value, and the nearest names of the catalog", async () => {
    const { say } = setting({ region: "us-est" });
    expect(await say(badRegion)).toBe(
      'spec.region: "us-est" is not a region. Use one of: us-east, us-west, ap-west, eu-west, ap-south (the cloud API refused a request)',
    );
  });

  it.each([
    { kind: computeInstance, field: "region", command: "(all: kubectl get cpregions)" },
    { kind: computeInstance, field: "type", command: "(all: kubectl get cptypes)" },
    { kind: computeInstance, field: "image", command: "(all public images: kubectl get cpimages)" },
    { kind: managedMySQL, field: "engine", command: "(all: kubectl get cpengines)" },
    { kind: computeConfig, field: "kernel", command: "(all: kubectl get cpkernels)" },
    { kind: bucket, field: "cluster", command: "(all: kubectl get cpclusters)" },
    { kind: betaEnrollment, field: "program", command: "(all: kubectl get cpbetas)" },
  ])("of a $field names the command that lists the whole catalog", async ({ kind, field, command }) => {
    const { say } = setting(
      { [field]: "compute/no" },
      { kind, list: ["compute/yes"], mirrors: enabledKinds().mirrors },
    );
    expect(await say({ field, reason: "no" })).toContain(`Use one of: compute/yes ${command} (the cloud API refused`);
  });

  it("names no command for the catalog of a second endpoint, because the objects show the default endpoint", async () => {
    const { say } = setting({ region: "no" }, { mirrors: enabledKinds().mirrors, endpoint: "second" });
    expect(await say(badRegion)).not.toContain("kubectl");
  });

  it("of a value that the catalog has keeps the reason of the cloud API", async () => {
    const { say } = setting({ region: "us-east" });
    expect(await say({ field: "region", reason: "A backup is restored in its own region." })).toBe(
      'spec.region: "us-east": A backup is restored in its own region (the cloud API refused a request)',
    );
  });

  it("keeps the reason where the catalog cannot be read", async () => {
    const { say } = setting({ region: "mars" }, { list: [] });
    expect(await say(badRegion)).toBe('spec.region: "mars": region is not valid (the cloud API refused a request)');
  });

  it("of a value that the list lacks and its own path shows keeps the reason of the cloud API", async () => {
    const { say } = setting({ region: "us-new" }, { at: { "/regions/us-new": { id: "us-new" } } });
    expect(await say({ field: "region", reason: "no capacity" })).toBe(
      'spec.region: "us-new": no capacity (the cloud API refused a request)',
    );
  });

  it("does not call a value unknown where its own path cannot be read", async () => {
    const { say } = setting({ region: "us-new" }, { at: { "/regions/us-new": new Error("down") } });
    expect(await say(badRegion)).toBe('spec.region: "us-new": region is not valid (the cloud API refused a request)');
  });

  it("of a beta program that has ended, which only its own path shows, keeps the reason of the cloud API", async () => {
    const at = { "/betas/long-gone": { id: "long-gone", ended: "2024-01-01T00:00:00" } };
    const { say } = setting({ program: "long-gone" }, { kind: betaEnrollment, list: ["fast-disks"], at });
    expect(await say({ field: "id", reason: "The beta program is not active" })).toBe(
      'spec.program: "long-gone": The beta program is not active (the cloud API refused a request)',
    );
  });

  it("of a type that the region does not sell names the regions that do", async () => {
    const offer = (region: string, plan: string, available: boolean) => ({ region, plan, available });
    const at = {
      "/regions/us-east/availability": [offer("us-east", "g7-premium-2", false), offer("us-east", "gpu", true)],
      "/regions/availability": [
        offer("us-east", "g7-premium-2", false),
        offer("us-ord", "g7-premium-2", true),
        offer("fr-par", "g7-premium-2", true),
        offer("us-west", "gpu", true),
      ],
    };
    const { say } = setting({ region: "us-east", type: "g7-premium-2" }, { list: ["g7-premium-2"], at });
    expect(await say({ field: "type", reason: "type is not valid" })).toBe(
      'spec.type: "g7-premium-2" is not available in us-east. It is available in: fr-par, us-ord (the cloud API refused a request)',
    );
  });

  it("of a type that every region sells keeps the reason of the cloud API", async () => {
    const at = { "/regions/us-east/availability": [] };
    const { say } = setting({ region: "us-east", type: "g6-standard-1" }, { list: ["g6-standard-1"], at });
    expect(await say({ field: "type", reason: "too small" })).toBe(
      'spec.type: "g6-standard-1": too small (the cloud API refused a request)',
    );
  });

  it("of what a spec may say in one of several places names the place where it says it", async () => {
    const download = { region: "us-est", url: "https://images.example.org/a.img.gz" };
    const { say } = setting({ source: { download } }, { kind: image });
    expect(await say(badRegion)).toContain('spec.source.download.region: "us-est" is not a region.');
  });

  it("of several fields names each", async () => {
    const { say } = setting({ region: "us-east", source: { backup: { id: "7" } } });
    const unknown = { field: "no_such_word", reason: "is odd" };
    expect(await say({ field: "backup_id", reason: "backup_id is not valid" }, unknown)).toBe(
      "spec.source.backup: backup_id is not valid; no_such_word: is odd (the cloud API refused a request)",
    );
  });

  it("of a rule names the rule", async () => {
    const spec = { inbound: [{ ports: "22" }, { ports: "0" }] };
    const { say } = setting(spec, { kind: firewall });
    expect(await say({ field: "rules.inbound[1].ports", reason: "Ports must be 1-65535" })).toBe(
      'spec.inbound[1].ports: "0": Ports must be 1-65535 (the cloud API refused a request)',
    );
  });

  it("of no field keeps the reason of the cloud API, and says what to do", async () => {
    const { say } = setting({});
    expect(await say({ field: null, reason: "no" })).toBe(
      "the cloud API refused a request: no. Remove the obstacle in the cloud, or change the spec. The operator retries with backoff",
    );
  });
});

describe("a refusal of a body that is no creation names the field of the spec", () => {
  const reason = "There is no such thing";

  it.each([
    { of: domain, field: "remote_nameserver", path: 'source.import.remoteNameserver: "ns1.example.net": ' },
    { of: firewall, field: "id", path: "instanceRefs: " },
    { of: ipAddress, field: "assignments.0.compute_id", path: "instanceRef: " },
    { of: ipv6Range, field: "route_target", path: "instanceRef: " },
    { of: ipAssignment, field: "assignments[0].address", path: 'address: "198.18.0.2": ' },
    { of: ipAssignment, field: "assignments[1].address", path: 'exchangeFor: "198.18.0.3": ' },
    { of: ipSharing, field: "ips.1", path: 'addresses[0]: "198.18.0.9": ' },
    { of: ipSharing, field: "ips.0", path: "addressRefs[0]: " },
    { of: ipSharing, field: "ips", path: "addresses: " },
    { of: presignedURL, field: "name", path: 'objectKey: "a.txt": ' },
    { of: computeAction, field: "configs.0", path: 'clone.configIDs[0]: "77": ' },
    { of: computeAction, field: "compute_id", path: "clone.instanceRef: " },
    { of: computeAction, field: "devices.sda.disk_id", path: "rescueDiskIDs: " },
  ])("$of.kind: $field", async ({ of, field, path }) => {
    const spec = {
      address: "198.18.0.2",
      addresses: ["198.18.0.9"],
      addressRefs: [{ kind: "IPAddress", name: "second", address: "Public" }],
      clone: { instanceRef: { name: "spare" }, configIDs: ["77"] },
      exchangeFor: "198.18.0.3",
      instanceRef: { name: "web" },
      objectKey: "a.txt",
      source: { import: { remoteNameserver: "ns1.example.net" } },
    };
    const { say } = setting(spec, { kind: of, refs: { addressRefs: [{ id: "198.18.0.4", value: "198.18.0.4" }] } });
    expect(await say({ field, reason })).toBe(`spec.${path}${reason} (the cloud API refused a request)`);
  });

  it.each([
    { spec: { action: "CloneDisk", diskID: "2001" }, says: 'spec.diskID: "2001": ' },
    { spec: { action: "RestoreBackup", backupID: "123" }, says: 'spec.backupID: "123": ' },
  ])("…that its path names: $says", async ({ spec, says }) => {
    const call = requestOf(spec as unknown as ActionSpec, "1016", {} as never);
    const errors = [{ field: null, reason: "Not found" }];
    const error = new HttpError("text", { ...call, status: 404, errors, outcome: "refused" });
    expect(await refusalOf(setting(spec).at, error, call)).toBe(`${says}Not found (the cloud API refused a request)`);
  });
});

it("a catalog is read for what was refused alone, and once an hour", async () => {
  const { say, asked, pass } = setting({ region: "mars" });
  await say({ field: "label", reason: "Label must be unique" });
  expect(asked).toEqual([]);
  await Promise.all([say(badRegion), say(badRegion)]);
  pass(3_599_000);
  await say(badRegion);
  expect(asked).toEqual(["/regions", "/regions/mars"]);
  pass(2_000);
  await say(badRegion);
  expect(asked.slice(2)).toEqual(["/regions", "/regions/mars"]);
});
