/** How an instance is made: from an image, a backup or another instance; and how an image is deployed anew. Part 2, sections 4.1 and 4.5. */
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call, Resolved, Wanted } from "../../core/define-kind.ts";
import { Invalid } from "../../core/outcome.ts";
import { given, picked } from "../given.ts";
import type { InstanceSpec } from "./instance-spec.ts";

/** References of an instance, found. */
export interface DeploymentReferences {
  rootPasswordSecretRef: string | undefined;
  /** In base64. */
  userDataSecretRef: string | undefined;
  "stackScript.dataSecretRef": string | undefined;
  "source.backup": Resolved | undefined;
  "source.clone.instanceRef": Resolved | undefined;
}

interface Deployment {
  spec: InstanceSpec;
  refs: DeploymentReferences;
}

/** Fields of a creation among those of an update. */
const creationFields = ["label", "region", "type", "tags", "private_ip", "backups_enabled"];

/** The one POST that makes the instance. Throws `Invalid` for a Secret whose value the service could not take. */
export function creation(
  { spec, refs, name }: Deployment & Pick<Wanted<unknown, unknown>, "name">,
  body: JsonObject,
): Call {
  const action = "Create";
  const label = spec.label ?? name;
  const common = picked(body, creationFields);
  const original = refs["source.clone.instanceRef"];
  if (original) {
    const { tags: _tags, ...shared } = common;
    const copied = given({ ...shared, disks: spec.source?.clone?.diskIDs, configs: spec.source?.clone?.configIDs });
    return {
      method: "POST",
      path: `/compute/instances/${original.id}/clone`,
      body: copied,
      action,
      note: `${label} cloned from ${original.id}`,
    };
  }
  const backup = refs["source.backup"];
  return {
    method: "POST",
    path: "/compute/instances",
    body: given({
      ...common,
      ...(spec.image !== undefined && imageFields({ spec, refs })),
      swap_size: spec.swapSizeMB,
      interfaces: body["interfaces"],
      backup_id: backup && backupNumber(backup.id),
      booted: spec.powerState === "Offline" ? false : undefined,
    }),
    action,
    note: `${label} created`,
  };
}

/** Deploys the image of the spec over what the instance holds. */
export function rebuild(path: string, deployment: Deployment, note: string): Call {
  const booted = deployment.spec.powerState !== "Offline";
  return {
    method: "POST",
    path: `${path}/rebuild`,
    body: { ...imageFields(deployment), booted },
    action: "Rebuild",
    note,
  };
}

function imageFields({ spec, refs }: Deployment): JsonObject {
  const userData = spec.userDataSecretRef && needed("spec.userDataSecretRef", refs.userDataSecretRef);
  return given({
    image: spec.image,
    root_pass: rootPassword(refs.rootPasswordSecretRef),
    authorized_keys: spec.authorizedKeys,
    authorized_users: spec.authorizedUsers,
    stackscript_id: spec.stackScript?.id,
    stackscript_data: spec.stackScript?.dataSecretRef && scriptData(refs["stackScript.dataSecretRef"]),
    metadata: userData === undefined ? undefined : { user_data: userData },
  });
}

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
  const isObject = typeof data === "object" && data !== null && !Array.isArray(data);
  if (isObject && text.length <= 65_535) return data;
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
  throw new Invalid(field, "deploying an image needs the value of this Secret, and it does not exist");
}

/** A backup may be known by a path of identifiers; its own is the last. */
function backupNumber(id: string): number {
  const number = Number(id.split("/").at(-1));
  if (Number.isInteger(number)) return number;
  throw new Invalid("spec.source.backup", `${id} is not the id of a backup`);
}
