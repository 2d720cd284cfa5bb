/** What a change of each field and step concerns, reviewed by hand. An adopted object changes the rest only after an approval. */
import { expect, it } from "vitest";
import { concernsOf } from "../../src/core/kind/concern.ts";
import { isChangeable } from "../../src/core/kind/fields.ts";
import { kinds } from "../../src/kinds/registry.ts";

/** By kind: fields and steps by concern. Settings and actions have no adoption. */
const reviewed: Record<string, Record<string, string>> = {
  Bucket: { access: "access" },
  BucketCertificate: { access: "renewal" },
  BucketObject: { data: "etag", access: "acl" },
  ComputeConfig: {
    none: "label comments",
    data: "devices helpers kernel memory_limit root_device run_level virt_mode restart",
    access: "interfaces",
  },
  ComputeDisk: { none: "label", data: "filesystem size" },
  ComputeInstance: {
    none: "label tags watchdog_enabled copies alerts",
    data: "disruption restart power cancelBackups",
    money: "backups",
    access: "interfaces",
  },
  Domain: {
    none: "soa_email description group ttl_sec refresh_sec retry_sec expire_sec tags",
    data: "master_ips status",
    access: "axfr_ips",
  },
  DomainRecord: { data: "name target priority weight port service protocol tag", none: "ttl_sec" },
  Firewall: { none: "label tags", access: "status rules devices" },
  IPAddress: { access: "compute_id" },
  IPv6Range: { access: "route_target" },
  Image: { none: "label description" },
  ManagedMySQL: { none: "label updates", access: "allow_list" },
  ObjectStorageKey: { none: "label" },
  SSHKey: { none: "label" },
  Tag: { none: "objects" },
};

it("each changeable field and each step of a kind that can be adopted has the reviewed class", () => {
  const found: Record<string, Record<string, string>> = {};
  for (const { kind, shape, fields, steps = {} } of kinds) {
    if (shape !== "owned") continue;
    const changeable = Object.keys(fields).filter((field) => isChangeable(fields[field]!));
    const classes = [
      ...changeable.map((field) => [field, concernsOf({ fields }, [{ field, desired: 1, observed: 2 }])[0] ?? ""]),
      ...Object.entries(steps).map(([step, { concerns }]) => [step, concerns]),
    ];
    for (const [name = "", concern = ""] of classes) {
      const of = (found[kind] ??= {});
      of[concern] = of[concern] === undefined ? name : `${of[concern]} ${name}`;
    }
  }
  expect(found).toEqual(reviewed);
});
