import * as z from "zod";
import type { Json, JsonObject } from "../../api/types.ts";
import { defineOnce } from "../../core/kind/once.ts";
import { Invalid } from "../../core/kind/outcome.ts";
import { needsNotAfter } from "../../core/kind/rules.ts";
import { actionExamples } from "./action-examples.ts";
import { otherOf, requestOf, scriptRef } from "./action-requests.ts";
import { actions, actionSpec, destructiveActions } from "./action-spec.ts";
import type { ActionSpec } from "./action-spec.ts";
import { instanceWire } from "./instance-status.ts";
import { readiness } from "./power.ts";

/** What is read of the instance that is restored or cloned to. */
const targetWire = instanceWire.pick({ status: true });
const timed = z.object({ created: z.string() });

/** Actions on an instance: part 2, section 4.5; not-shown, section 3. */
export const computeAction = defineOnce({
  kind: "ComputeAction",
  plural: "computeactions",
  shortNames: ["cpact"],
  doc: "One action on an instance, run once: a reboot, a rescue, a reset of the root password. To run it again, create another object.",
  columns: [
    { name: "Action", jsonPath: ".spec.action" },
    { name: "Instance", jsonPath: ".spec.instanceRef.name" },
    { name: "Progress", jsonPath: ".status.run.progressPercent", type: "integer" },
    { name: "Result", jsonPath: ".status.run.result" },
  ],
  spec: actionSpec,
  status: z.object({ state: z.string().max(32).describe("State of the instance, in the API's words.").optional() }),
  wire: instanceWire,
  admission: [needsNotAfter(destructiveActions)],
  references: {
    instanceRef: { kind: "ComputeInstance", from: (spec) => spec.instanceRef, contained: true },
    restoreToRef: { kind: "ComputeInstance", from: (spec) => spec.restoreToRef, contained: true },
    "clone.instanceRef": { kind: "ComputeInstance", from: (spec) => spec.clone?.instanceRef, contained: true },
    passwordSecretRef: { secret: (spec) => spec.passwordSecretRef, key: "password", creationOnly: true },
    [scriptRef]: { secret: (spec) => spec.rebuild?.stackScript?.dataSecretRef, key: "data", creationOnly: true },
    "rebuild.userDataSecretRef": {
      secret: (spec) => spec.rebuild?.userDataSecretRef,
      key: "user-data",
      encoding: "base64",
      creationOnly: true,
    },
  },
  at: () => "/compute/instances",
  eventEntity: "compute",
  createdField: "created",
  target: ({ refs }) => refs.instanceRef.id,
  details: ({ refs, applied }) => {
    const target = applied?.["target"] ?? otherOf(refs)?.id;
    return target === undefined ? {} : { target: { path: `/compute/instances/${target}`, optional: true } };
  },
  ready: ({ wire, details }) => {
    const own = readiness(wire.status, undefined);
    const { data: target } = targetWire.safeParse(details?.["target"]);
    return own.ready && target ? readiness(target.status, undefined) : own;
  },
  request: ({ spec, refs, id, wire, details }) => {
    refuseOwned(spec, refs.instanceRef.spec);
    // The cloud API refuses it then, as it does while the instance is busy.
    if (actions[spec.action].state === wire.status) return refuseProfile(spec);
    const call = requestOf(spec, id, refs);
    if (spec.action === "Upgrade") return { ...call, applies: { from: wire.type } };
    const other = otherOf(refs);
    return other ? { ...call, applies: { target: other.id, ...createdOf(details?.["target"]) } } : call;
  },
  sensitive: ["root_pass", "password", "stackscript_data", "metadata"],
  // What else the row shows may have been so before.
  evident: ({ spec, wire, applied, details }) => {
    // What it was done to is gone, or has given its id to another one.
    if (applied?.["target"] !== undefined && isGone(details?.["target"], applied["created"])) return false;
    const { state } = actions[spec.action];
    if (state !== undefined) return wire.status === state;
    if (spec.action === "Resize") return wire.type === spec.type;
    if (spec.action === "Upgrade" && applied?.["from"] !== undefined) return wire.type !== applied["from"];
    return spec.action === "Migrate" && spec.region !== undefined ? wire.region === spec.region : undefined;
  },
  // A restore is told of the instance that is restored to, a clone of the one that is copied.
  events: ({ spec, refs, applied }) => ({
    names: actions[spec.action].events,
    ...(spec.action === "RestoreBackup" && { about: applied?.["target"] ?? refs.restoreToRef?.id }),
  }),
  report: ({ wire }) => ({ state: wire.status }),
  examples: actionExamples,
});

/** Where a field of the ComputeInstance says the same as the action, or as a field of it, that one decides. */
function refuseOwned({ action, rebuild, instanceRef }: ActionSpec, instance: JsonObject | undefined): void {
  const same = [
    { says: "action", field: actions[action].owner },
    { says: "rebuild.type", field: rebuild?.type && "type" },
    { says: "rebuild.booted", field: rebuild?.booted === undefined ? undefined : "powerState" },
  ];
  for (const { says, field } of same) {
    if (field === undefined || instance?.[field] === undefined) continue;
    throw new Invalid(
      `spec.${says}`,
      `${action} is not run, because ComputeInstance ${instanceRef.name} sets spec.${field}. Change it there`,
    );
  }
}

/** An instance that is on may run with another profile, and the row does not tell. */
function refuseProfile({ action, configID }: ActionSpec): undefined {
  if (action !== "Boot" || configID === undefined) return undefined;
  throw new Invalid(
    "spec.configID",
    "the instance is on already, so Boot does not boot this profile. Use the action Reboot, or shut the instance down",
  );
}

/** An id is used again: that of the other instance means the one that was created then. */
function createdOf(target: Json | undefined): { created?: string } {
  return timed.safeParse(target).data ?? {};
}

function isGone(target: Json | undefined, created: string | undefined): boolean {
  return target === undefined || (created !== undefined && createdOf(target).created !== created);
}
