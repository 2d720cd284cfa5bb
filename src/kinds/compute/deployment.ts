/** Requests that clone, migrate, resize and rebuild an instance. Part 2, sections 4.1 and 4.5. */
import * as z from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call, Request } from "../../core/kind/call.ts";
import { Waiting } from "../../core/kind/outcome.ts";
import { given, picked } from "../given.ts";
import { rfc3339 } from "../time.ts";
import { imageFields, instancePath } from "./instance-fields.ts";
import type { InstanceWanted, LiveInstance } from "./instance-fields.ts";
import { disruptions } from "./instance-spec.ts";

/** Body fields that a creation and a clone share. */
const clonedFields = ["label", "region", "type", "private_ip", "backups_enabled", "metadata"];

/** Returns the POST that creates the instance. */
export function creation({ spec, refs }: InstanceWanted, body: JsonObject): Request {
  const original = refs["source.clone.instanceRef"];
  if (!original) return { method: "POST", path: "/compute/instances", body };
  const { diskIDs, configIDs } = spec.source?.clone ?? {};
  const copied = given({ ...picked(body, clonedFields), disks: diskIDs, configs: configIDs });
  return { method: "POST", path: `/compute/instances/${original.id}/clone`, body: copied };
}

/**
 * Returns the disruptive calls. Only a change of the spec causes a call, never a difference in the cloud. A call `lacks` a permission
 * that allowDisruption does not have.
 */
export function disruptionCalls(live: LiveInstance): Call[] {
  const { spec, wire, applied } = live;
  if (!applied) return [];
  const changed = disruptions.filter(
    ({ field }) => spec[field] !== undefined && ![applied[field], wire[field]].includes(spec[field]),
  );
  return changed.map((one) => disruption(live, one));
}

function disruption(live: LiveInstance, { field, permission }: (typeof disruptions)[number]): Call {
  const { id, spec, wire } = live;
  const wanted = spec[field] ?? "";
  const isAllowed = spec.allowDisruption?.includes(permission) === true;
  return {
    method: "POST",
    path: `${instancePath(id)}/${permission.toLowerCase()}`,
    body: bodyOf(permission, live),
    action: permission,
    note: `${field}: ${wire[field] ?? "none"} → ${wanted}`,
    changes: [{ field, observed: wire[field] ?? undefined, desired: wanted }],
    destructive: true,
    applies: { [field]: wanted },
    stops: true,
    ...(!isAllowed && { lacks: { list: "allowDisruption", entry: permission, instead: `change spec.${field} back` } }),
  };
}

function bodyOf(permission: (typeof disruptions)[number]["permission"], wanted: InstanceWanted): JsonObject {
  const { region, type, allowAutoDiskResize, powerState } = wanted.spec;
  if (permission === "Migrate") return { region };
  if (permission === "Resize") return given({ type, allow_auto_disk_resize: allowAutoDiskResize });
  // The image of the spec replaces all disks of the instance.
  const deployed = Object.entries(imageFields).map(([name, { desired }]) => [name, desired(wanted)] as const);
  return given({ ...Object.fromEntries(deployed), booted: powerState !== "Offline" });
}

const notReady = z.object({ status: z.literal("not ready") });

/** Delay in milliseconds until the API lists the disks of a new instance. After the delay, no disks means a copy without disks. */
const listedMs = 10 * 60_000;

/** Throws `Waiting` while the cloud copies disks to the instance. During the copy, the instance is off: not-shown, section 9. */
export function requireCopied(copy: LiveInstance, disks: Json | undefined): Call[] {
  const listed = Array.isArray(disks) ? disks : [];
  const isCopying = listed.some((disk) => notReady.safeParse(disk).success);
  if (!isCopying && (listed.length > 0 || !expectsDisks(copy))) return [];
  throw new Waiting("Provisioning", "the cloud is copying the disks of the instance", 5_000);
}

function expectsDisks({ spec: { source }, wire, now, adopted }: LiveInstance): boolean {
  if (!source || adopted) return false;
  const { diskIDs, configIDs } = source.clone ?? {};
  if (diskIDs?.length === 0 && configIDs?.length === 0) return false;
  const created = rfc3339(wire.created);
  return created !== undefined && now().getTime() - Date.parse(created) < listedMs;
}
