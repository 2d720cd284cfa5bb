/** The fields of an instance's body: part 2, sections 4.1 and 4.5. */
import type { Json } from "../../api/types.ts";
import { isObject } from "../../core/kind/differences.ts";
import { Invalid } from "../../core/kind/outcome.ts";
import type { Field, Wanted } from "../../core/kind/live.ts";
import type { instanceReferences } from "./instance-references.ts";
import type { InstanceSpec } from "./instance-spec.ts";
import type { InstanceRow } from "./instance-status.ts";
import { interfaceBody } from "./interfaces.ts";

export type InstanceWanted = Wanted<InstanceSpec, typeof instanceReferences>;

type InstanceField = Field<InstanceSpec, typeof instanceReferences, InstanceRow>;

/** What deploys an image; a rebuild sends the same again. */
export const imageFields = {
  image: {
    want: ({ spec }) => spec.image,
    have: (wire) => wire.image,
    fixed: true,
    disrupts: true,
  },
  root_pass: {
    says: "rootPasswordSecretRef",
    want: ({ spec, refs }) => (spec.image === undefined ? undefined : rootPassword(refs.rootPasswordSecretRef)),
    on: "create",
    sensitive: true,
  },
  authorized_keys: { want: ({ spec }) => spec.authorizedKeys, on: "create" },
  authorized_users: { want: ({ spec }) => spec.authorizedUsers, on: "create" },
  stackscript_id: { says: "stackScript.id", want: ({ spec }) => spec.stackScript?.id, on: "create" },
  stackscript_data: {
    says: "stackScript.dataSecretRef",
    want: ({ spec, refs }) => spec.stackScript?.dataSecretRef && scriptData(refs["stackScript.dataSecretRef"]),
    on: "create",
    sensitive: true,
  },
  metadata: {
    says: "userDataSecretRef",
    want: ({ spec, refs }) =>
      spec.userDataSecretRef && { user_data: needed("spec.userDataSecretRef", refs.userDataSecretRef) },
    on: "create",
    sensitive: true,
  },
} satisfies Record<string, InstanceField>;

export const instanceFields = {
  label: { want: ({ spec, name }) => spec.label ?? name, have: (wire) => wire.label, key: true },
  region: { want: ({ spec }) => spec.region, have: (wire) => wire.region, fixed: true, disrupts: true },
  type: { want: ({ spec }) => spec.type, have: (wire) => wire.type, fixed: true, disrupts: true },
  ...imageFields,
  tags: { want: ({ spec }) => spec.tags?.toSorted(), have: (wire) => (wire.tags ?? []).toSorted() },
  watchdog_enabled: { want: ({ spec }) => spec.watchdogEnabled, have: (wire) => wire.watchdog_enabled, on: "update" },
  private_ip: { want: ({ spec }) => spec.privateIP, on: "create" },
  // To turn backups off deletes them.
  backups_enabled: { says: "backups.enabled", want: ({ spec }) => spec.backups?.enabled, on: "create", disrupts: true },
  interfaces: { want: ({ spec }) => spec.interfaces?.map(interfaceBody), on: "create" },
  swap_size: { says: "swapSizeMB", want: ({ spec }) => spec.swapSizeMB, on: "create" },
  backup_id: {
    says: "source.backup",
    want: ({ refs }) => refs["source.backup"] && backupNumber(refs["source.backup"].id),
    on: "create",
  },
  booted: { says: "powerState", want: ({ spec }) => (spec.powerState === "Offline" ? false : undefined), on: "create" },
} satisfies Record<string, InstanceField>;

function rootPassword(value: string | undefined): string {
  const field = "spec.rootPasswordSecretRef";
  const password = needed(field, value);
  if (password.length >= 7 && password.length <= 128) return password;
  throw new Invalid(field, "the password in the Secret must have 7 to 128 characters");
}

function scriptData(value: string | undefined): Json {
  const field = "spec.stackScript.dataSecretRef";
  const text = needed(field, value);
  const data = parsed(text);
  if (isObject(data) && text.length <= 65_535) return data;
  throw new Invalid(field, "the Secret must hold a JSON object of at most 65,535 characters");
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function needed(field: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw new Invalid(field, "deploying an image needs the value of this Secret, and it does not exist. Create it");
}

/** A backup may be known by a path of identifiers; its own is the last. */
function backupNumber(id: string): number {
  const number = Number(id.split("/").at(-1));
  if (Number.isInteger(number)) return number;
  throw new Invalid("spec.source.backup", `${id} is not the id of a backup`);
}
