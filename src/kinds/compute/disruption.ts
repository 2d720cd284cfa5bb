/**
 * Migrate, resize and rebuild: asked for by a change of the spec, never inferred from what the cloud shows.
 *
 * One at a time, because the cloud API refuses other changes meanwhile; the next follows when the row shows that this one is done.
 */
import type { Call } from "../../core/kind/call.ts";
import { Stalled } from "../../core/kind/outcome.ts";
import { rebuild } from "./deployment.ts";
import { given } from "../given.ts";
import type { InstanceWanted, LiveInstance } from "./instance-fields.ts";

type Situation = Pick<LiveInstance, "wire" | "applied"> & InstanceWanted;

type Disruption = "Migrate" | "Resize" | "Rebuild";

/** The next disrupting call. Throws where the spec changed and no longer allows it. */
export function disruptionCalls(path: string, situation: Situation): Call[] {
  const { spec, wire } = situation;
  const [next] = pending(situation);
  if (next === undefined) return [];
  const { field, permission } = next;
  const change = `${field}: ${wire[field] ?? "none"} → ${spec[field]}`;
  if (!spec.allowDisruption?.includes(permission)) {
    throw new Stalled(
      "DisruptionNotAllowed",
      `${change} needs ${permission} in spec.allowDisruption; add it, or change spec.${field} back`,
    );
  }
  const applies = { [field]: spec[field] ?? "" };
  if (permission === "Rebuild") return [{ ...rebuild(path, situation, change), destructive: true, applies }];
  const { region, type, allowAutoDiskResize: follows } = spec;
  const body = permission === "Migrate" ? { region } : given({ type, allow_auto_disk_resize: follows });
  const request = { method: "POST", path: `${path}/${permission.toLowerCase()}`, body } as const;
  return [{ ...request, action: permission, note: change, destructive: true, applies }];
}

function pending({ spec, wire, applied }: Situation): { field: "region" | "type" | "image"; permission: Disruption }[] {
  if (!applied) return [];
  const all = [
    { field: "region", permission: "Migrate" },
    { field: "type", permission: "Resize" },
    { field: "image", permission: "Rebuild" },
  ] as const;
  return all.filter(
    ({ field }) => spec[field] !== undefined && applied[field] !== spec[field] && wire[field] !== spec[field],
  );
}
