/** The resource types of the Terraform provider, by the kind that manages the same cloud object. */
import { notExported } from "../../core/kind/exported.ts";
import type { Kind } from "../../core/kind/owned.ts";
import { canonical } from "../../kinds/networking/address.ts";
import { kinds } from "../../kinds/registry.ts";
import type { StateResource } from "./state.ts";

interface Covering {
  kind: string;
  /** Attributes with the ID, joined by a slash. Each list gives one possible ID. */
  id: readonly (readonly string[])[];
  /** True if the ID is an IP address, or a range. */
  isAddress?: true;
  /** Attribute with the ID of the cloud object in the path of the list. */
  parent?: string;
  /** Field of the kind. The resource is a part of a cloud object, and gets no object. */
  field?: string;
  /** Attribute that must have a value. Otherwise the kind does not manage the cloud object. */
  only?: readonly [attribute: string, value: string];
}

const prefix = "linode_";
const own = [["id"]] as const;

/** The ID of a kind is the attribute `id` of the provider, or consists of other attributes. */
const covered: Readonly<Record<string, Covering>> = {
  instance: { kind: "ComputeInstance", id: own },
  instance_disk: { kind: "ComputeDisk", id: own, parent: "linode_id" },
  instance_config: { kind: "ComputeConfig", id: own, parent: "linode_id" },
  instance_ip: { kind: "IPAddress", id: [["address"]], isAddress: true },
  instance_shared_ips: { kind: "IPSharing", id: [["linode_id"]] },
  networking_ip: { kind: "IPAddress", id: [["address"]], isAddress: true },
  networking_ip_assignment: { kind: "IPAssignment", id: own },
  rdns: { kind: "ReverseDNS", id: [["address"]], isAddress: true },
  ipv6_range: { kind: "IPv6Range", id: own, isAddress: true },
  firewall: { kind: "Firewall", id: own },
  firewall_device: {
    kind: "Firewall",
    id: [["firewall_id"]],
    field: "instanceRefs",
    only: ["entity_type", "linode"],
  },
  domain: { kind: "Domain", id: own },
  domain_record: { kind: "DomainRecord", id: own, parent: "domain_id" },
  image: { kind: "Image", id: own },
  sshkey: { kind: "SSHKey", id: own },
  object_storage_bucket: {
    kind: "Bucket",
    id: [
      ["cluster", "label"],
      ["region", "label"],
    ],
  },
  object_storage_key: { kind: "ObjectStorageKey", id: own },
  object_storage_object: { kind: "BucketObject", id: own },
  database_mysql: { kind: "ManagedMySQL", id: own },
  database_mysql_v2: { kind: "ManagedMySQL", id: own },
  database_access_controls: {
    kind: "ManagedMySQL",
    id: [["database_id"]],
    field: "allowList",
    only: ["database_type", "mysql"],
  },
};

/** A cloud object that a resource of Terraform manages. */
export interface Target {
  kind: Kind;
  /** Possible IDs. At most one of them exists. */
  ids: string[];
  parent: { kind: Kind; id: string } | undefined;
  /** Field of the object that contains the resource; undefined for a resource with its own object. */
  field: string | undefined;
}

/** The attributes that identify cloud objects of a type; see `readState`. */
export function identifying(type: string): string[] {
  const { id = [], parent, only } = coveringOf(type) ?? {};
  return [...new Set([...id.flat(), ...(parent === undefined ? [] : [parent]), ...(only ? [only[0]] : [])])];
}

/** Returns the cloud object of a resource, or the reason why the import has no object for the resource. */
export function targetOf({ type, identity }: StateResource): Target | { why: string } {
  const covering = coveringOf(type);
  if (!covering) return { why: type.startsWith(prefix) ? "no kind manages this type" : "not a resource of this cloud" };
  const kind = kindNamed(covering.kind);
  const { only, field, parent } = covering;
  if (only && identity[only[0]] !== only[1]) return { why: `${kind.kind} does not manage this value of ${only[0]}` };
  const reason = notExported(kind);
  if (reason !== undefined) return { why: `${kind.kind}: ${reason}` };
  const ids = covering.id.flatMap((attributes) => idFrom(covering, attributes, identity));
  const above = parent === undefined ? undefined : parentIn(kind, identity[parent]);
  if (ids.length === 0 || (parent !== undefined && !above))
    return { why: "the state has no ID. Run terraform refresh" };
  return { kind, ids, parent: above, field };
}

function coveringOf(type: string): Covering | undefined {
  const name = type.startsWith(prefix) ? type.slice(prefix.length) : "";
  return Object.hasOwn(covered, name) ? covered[name] : undefined;
}

function idFrom({ isAddress }: Covering, attributes: readonly string[], identity: StateResource["identity"]): string[] {
  const values = attributes.map((attribute) => identity[attribute] ?? "");
  if (values.includes("")) return [];
  const id = values.join("/");
  // The account has one spelling of an address, and the ID of a range has no prefix length.
  return [isAddress ? canonical(id.replace(/\/\d+$/, "")) : id];
}

/** The reference in the path of the list defines the kind of the parent. */
function parentIn({ references = {} }: Kind, id: string | undefined): Target["parent"] {
  const above = Object.values(references).find((one) => !("secret" in one) && one.contained === true);
  if (id === undefined || id === "" || !above || "secret" in above) return undefined;
  return typeof above.kind === "string" ? { kind: kindNamed(above.kind), id } : undefined;
}

function kindNamed(name: string): Kind {
  const found = kinds.find(({ kind }) => kind === name);
  if (!found) throw new TypeError(`no kind ${name}`);
  return found;
}
