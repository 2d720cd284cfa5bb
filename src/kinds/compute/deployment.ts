/** How an instance is cloned, and how an image is deployed again. Part 2, sections 4.1 and 4.5. */
import * as z from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import type { Call, Request } from "../../core/kind/call.ts";
import { Waiting } from "../../core/kind/outcome.ts";
import { given, picked } from "../given.ts";
import { rfc3339 } from "../time.ts";
import { imageFields } from "./instance-fields.ts";
import type { InstanceWanted, LiveInstance } from "./instance-fields.ts";

/** Fields of a creation that a clone has, too. */
const clonedFields = ["label", "region", "type", "private_ip", "backups_enabled", "metadata"];

/** The one POST that makes the instance. */
export function creation({ spec, refs }: InstanceWanted, body: JsonObject): Request {
  const original = refs["source.clone.instanceRef"];
  if (!original) return { method: "POST", path: "/compute/instances", body };
  const { diskIDs, configIDs } = spec.source?.clone ?? {};
  const copied = given({ ...picked(body, clonedFields), disks: diskIDs, configs: configIDs });
  return { method: "POST", path: `/compute/instances/${original.id}/clone`, body: copied };
}

/** Deploys the image of the spec over what the instance holds. */
export function rebuild(path: string, wanted: InstanceWanted, note: string): Call {
  const deployed = Object.entries(imageFields).map(([name, { want }]) => [name, want(wanted)] as const);
  const booted = wanted.spec.powerState !== "Offline";
  const body = given({ ...Object.fromEntries(deployed), booted });
  return { method: "POST", path: `${path}/rebuild`, body, action: "Rebuild", note };
}

const notReady = z.object({ status: z.literal("not ready") });

/** The disks of a new instance are listed some time after it; what has none by then is a copy of something without disks. */
const listedMs = 10 * 60_000;

type Copy = Pick<LiveInstance, "spec" | "wire" | "now" | "adopted">;

/** Throws `Waiting` while disks are copied to the instance, which is off meanwhile: not-shown, section 9. */
export function requireCopied(copy: Copy, disks: Json | undefined): Call[] {
  const listed = Array.isArray(disks) ? disks : [];
  const isCopying = listed.some((disk) => notReady.safeParse(disk).success);
  if (!isCopying && (listed.length > 0 || !expectsDisks(copy))) return [];
  throw new Waiting("Provisioning", "the cloud is copying the disks of the instance", 5_000);
}

function expectsDisks({ spec: { source }, wire, now, adopted }: Copy): boolean {
  if (!source || adopted) return false;
  const { diskIDs, configIDs } = source.clone ?? {};
  if (diskIDs?.length === 0 && configIDs?.length === 0) return false;
  const created = rfc3339(wire.created);
  return created !== undefined && now().getTime() - Date.parse(created) < listedMs;
}
