/**
 * A service changes: fields are null or missing, numbers become texts, words are new. What is settled stays, whatever is
 * shown of it: nothing is deleted, made again, rebuilt or sent without end, and the object says what it met.
 */
import { describe, expect, it } from "vitest";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { CloudRow } from "../../world/rows.ts";
import type { World } from "../../world/world.ts";
import { cases } from "./odd-row-cases.ts";
import { mutationsOf } from "./odd-rows.ts";
import { changes, idOf, messageOf, stateOf } from "../support.ts";

/** By kind and outcome: the fields of which some odd form leads to it. All other forms leave the object Ready. */
const met: Record<string, Record<string, string>> = {
  SSHKey: { Drifted: "label ssh_key", Unreadable: "created label ssh_key" },
  Firewall: {
    Busy: "status",
    Drifted:
      "label rules rules.inbound rules.inbound.action rules.inbound.addresses rules.inbound.addresses.ipv4 rules.inbound.addresses.ipv6 rules.inbound.label rules.inbound.ports rules.inbound.protocol rules.inbound_policy rules.outbound rules.outbound_policy tags",
    Unreadable:
      "created label rules rules.inbound rules.inbound_policy rules.outbound rules.outbound_policy status tags",
  },
  ComputeInstance: {
    Busy: "status",
    // What disrupts is reported and not sent: image, region, type.
    Drifted:
      "/configs.interfaces.ipam_address /configs.interfaces.label /configs.interfaces.purpose alerts alerts.cpu alerts.io backups backups.enabled backups.schedule backups.schedule.day backups.schedule.window image label region tags type watchdog_enabled",
    Unreadable:
      "/configs.id /configs.interfaces /configs.interfaces.ipam_address /configs.interfaces.label /configs.interfaces.purpose alerts backups backups.available backups.enabled backups.schedule backups.schedule.day backups.schedule.window created host_uuid image ipv4 ipv6 label region specs status tags type watchdog_enabled",
  },
  ComputeDisk: {
    Busy: "status",
    Drifted: "filesystem label size",
    Unreadable: "created filesystem label size status",
  },
  Domain: {
    Busy: "status",
    // Another name is another domain.
    Conflict: "domain",
    Drifted: "axfr_ips description group soa_email status tags ttl_sec type",
    Unreadable: "axfr_ips description domain group master_ips soa_email status tags type",
  },
  DomainRecord: {
    Drifted: "port priority protocol service target ttl_sec type weight",
    Unreadable: "created name protocol service tag target type",
  },
  Bucket: { Drifted: "/access.acl /access.cors_enabled cluster label", Unreadable: "created hostname region" },
  ManagedMySQL: {
    Drifted:
      "allow_list label region type updates updates.day_of_week updates.duration updates.frequency updates.hour_of_day",
    Provisioning: "hosts hosts.primary",
    Unreadable:
      "/credentials.password /credentials.username allow_list cluster_size created hosts hosts.primary hosts.secondary label region ssl_connection status type updates updates.frequency updates.week_of_month version",
    Updating: "status",
  },
  BetaEnrollment: { Drifted: "id", Unreadable: "ended enrolled label started" },
  DatabaseBackup: { Drifted: "label type", Unreadable: "created label type" },
  Tag: {},
  IPSharing: {
    Drifted:
      "/ips.ipv4 /ips.ipv4.shared /ips.ipv4.shared.address /ips.ipv6.global.route_target /ips.ipv6.slaac /ips.ipv6.slaac.address",
    // Its row is that of the instance.
    Unreadable:
      "/ips.ipv4 /ips.ipv4.shared /ips.ipv4.shared.address /ips.ipv6 /ips.ipv6.global /ips.ipv6.global.range /ips.ipv6.global.route_target /ips.ipv6.slaac /ips.ipv6.slaac.address alerts backups backups.available backups.enabled backups.schedule backups.schedule.day backups.schedule.window created host_uuid image ipv4 ipv6 label region specs status tags type watchdog_enabled",
  },
  Image: {
    Busy: "status",
    Drifted: "description label",
    Unreadable: "created description id is_public label status",
  },
  ObjectStorageKey: {
    // Another access key is another key.
    Conflict: "access_key",
    Drifted: "label",
    Unreadable: "access_key bucket_access id label limited",
  },
  // A missing value does not show the instance. Another value shows another instance.
  IPAddress: {
    Conflict: "compute_id",
    Drifted: "public type",
    Unreadable: "compute_id gateway public rdns region type",
  },
  ComputeConfig: {
    Drifted:
      "/configs.comments /configs.devices /configs.devices.sda /configs.devices.sda.volume_id /configs.helpers /configs.helpers.devtmpfs_automount /configs.helpers.distro /configs.helpers.modules_dep /configs.helpers.network /configs.helpers.updatedb_disabled /configs.interfaces /configs.interfaces.ipam_address /configs.interfaces.label /configs.interfaces.purpose /configs.kernel /configs.label /configs.memory_limit /configs.root_device /configs.run_level /configs.virt_mode",
    Unreadable:
      "/configs.comments /configs.created /configs.devices /configs.devices.sda /configs.devices.sda.disk_id /configs.devices.sdb /configs.helpers /configs.helpers.devtmpfs_automount /configs.helpers.distro /configs.helpers.modules_dep /configs.helpers.network /configs.helpers.updatedb_disabled /configs.id /configs.interfaces /configs.interfaces.ipam_address /configs.interfaces.label /configs.interfaces.purpose /configs.kernel /configs.label /configs.root_device /configs.run_level /configs.virt_mode",
  },
  BucketCertificate: { Unreadable: "/ssl /ssl.ssl" },
  BucketObject: {
    // It is absent then, and where it is to be made again, signing its URL says that it is there.
    Conflict: "/object-list.data.name",
    Drifted: "/object-acl.acl /object-list.data.etag",
    Unreadable: "/object-list.data.etag",
  },
  // Its row is that of the bucket.
  PresignedURL: { Unreadable: "created hostname region" },
  PhoneVerification: {
    // A number that somebody has taken off is not verified again by itself.
    CodeRefused: "verified_phone_number",
    Unreadable: "email restricted uid username verified_phone_number",
  },
  // What has run is not read any more.
  AccountAction: {},
  ReverseDNS: { Drifted: "rdns", Unreadable: "compute_id gateway public rdns region type" },
};

/** Each may be sent once for an odd form: it sets a field, or adds what the spec asks for. */
const harmless = /^(PUT .*|POST \S+\/(access|assign|backups\/enable|devices|share))$/;

describe.each(Object.keys(met))("a settled %s", (kind) => {
  it("lives with every odd form of its row, and of what is shown beside it", async () => {
    const { world, row } = await settledOne(kind);
    const outcomes = new Map<string, Set<string>>();
    const good = { fields: structuredClone(row.fields), beside: structuredClone(row.beside) };
    for (const { name, show } of oddForms(kind, row)) {
      const outcome = await meets(world, kind, name, () => show(row));
      const field = name.replace(/: .*/, "");
      if (outcome !== "Ready") outcomes.set(outcome, (outcomes.get(outcome) ?? new Set()).add(field));
      await recovers(world, kind, name, () => Object.assign(row, structuredClone(good)));
    }
    expect(row.removed).toBeUndefined();
    expect(world.logged().filter(({ level }) => level === "error")).toEqual([]);
    const found = [...outcomes].map(([outcome, fields]) => [outcome, [...fields].sort().join(" ")]);
    expect(Object.fromEntries(found)).toEqual(met[kind]);
  }, 120_000);
});

async function settledOne(kind: string): Promise<{ world: World; row: CloudRow }> {
  const { name, prepare, path, id, row: rowIn, settleMs, beside } = cases[kind]!;
  const world = createWorld({ timing: { pollMs: 120_000, feedMs: 600_000 }, allowAccountActions: true });
  prepare(world);
  await world.advance(settleMs);
  expect(stateOf(world, kind, name), messageOf(world, kind, name)).toBe("Ready");
  const row = rowIn?.(world) ?? world.cloud.find(path(world), id ?? idOf(world, kind, name))!;
  Object.assign(row.beside, structuredClone(beside));
  // What is sent against it is answered as done, and is not.
  row.stubborn = true;
  return { world, row };
}

interface OddForm {
  name: string;
  show: (row: CloudRow) => void;
}

function oddForms(kind: string, { fields }: CloudRow): OddForm[] {
  const ofRow = mutationsOf(fields).map(({ name, row: odd }) => ({
    name,
    show: (row: CloudRow) => void (row.fields = structuredClone(odd)),
  }));
  const besides = Object.entries(cases[kind]?.beside ?? {}).flatMap(([part, shown]) =>
    mutationsOf({ [part]: shown }).flatMap(({ name, row: { [part]: odd } }): OddForm[] =>
      odd === undefined ? [] : [{ name: `/${name}`, show: (row) => void (row.beside[part] = structuredClone(odd)) }],
    ),
  );
  return [...ofRow, ...besides];
}

/** The outcome of half an hour, in which each list is read a dozen times and all is compared anew. */
async function meets(world: World, kind: string, name: string, show: () => void): Promise<string> {
  const { name: of, repeats } = cases[kind]!;
  const since = world.cloud.ledger().length;
  show();
  await world.advance(1_500_000);
  // Signing a URL changes nothing.
  const sent = changes(world, since).filter((call) => !call.endsWith("/object-url"));
  const different = new Set(sent).size;
  expect(sent.length, `${name}: ${sent.join(", ")}`).toBeLessThanOrEqual(different * (repeats ? 5 : 1));
  expect(
    sent.filter((call) => !harmless.test(call)),
    name,
  ).toEqual([]);
  const drifted = conditionOf(world.cluster.get(kind, of), "Drifted")?.status === "True";
  const state = stateOf(world, kind, of) ?? "";
  // What was sent and did not help is said.
  expect(sent.length === 0 || drifted, `${name}: ${sent.join(", ")}`).toBe(true);
  return drifted && state === "Ready" ? "Drifted" : state;
}

/** A resync, a tenth late at most, and a poll, in which what was read beside the row is dropped. */
const longestMs = 800_000;

async function recovers(world: World, kind: string, name: string, restore: () => void): Promise<void> {
  const { name: of, recoversMs = longestMs } = cases[kind]!;
  const since = world.cloud.ledger().length;
  restore();
  await world.advance(recoversMs);
  expect(stateOf(world, kind, of), `after ${name}: ${messageOf(world, kind, of)}`).toBe("Ready");
  expect(conditionOf(world.cluster.get(kind, of), "Drifted"), `after ${name}`).toBeUndefined();
  const sent = changes(world, since).filter((call) => !call.endsWith("/object-url"));
  expect(sent, `after ${name}`).toEqual([]);
}
