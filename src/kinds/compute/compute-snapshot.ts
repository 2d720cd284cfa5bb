import * as z from "zod";
import { asValue } from "../../core/kind/leaf-class.ts";
import { defineOnce } from "../../core/kind/once.ts";
import { Invalid } from "../../core/kind/outcome.ts";
import { immutable, ownName, referenceTo } from "../../core/kind/schema.ts";
import { nameFits } from "../label.ts";
import { optionalTime, rfc3339 } from "../time.ts";
import { onInstance } from "./instance-status.ts";
import { hasFailed, snapshotsIn } from "./snapshots.ts";
import type { Snapshot, Snapshots } from "./snapshots.ts";
import { optionalText } from "../text.ts";

const instanceRef = { name: "web-1" };
const needs = [{ kind: "ComputeInstance", example: "web-1" }];

/** Snapshots of an instance. A repeated request deletes the first snapshot: part 2, section 4.2. */
export const computeSnapshot = defineOnce({
  kind: "ComputeSnapshot",
  plural: "computesnapshots",
  shortNames: ["cpsnap"],
  noun: "instance",
  doc: "A snapshot of a ComputeInstance. The operator takes the snapshot once and never again. An instance has one snapshot: a later snapshot deletes the earlier snapshot, and the earlier object reports Superseded. Deleting the object keeps the snapshot in the cloud.",
  columns: [
    { name: "Instance", jsonPath: ".spec.instanceRef.name" },
    { name: "Snapshot", jsonPath: ".status.run.made" },
    { name: "State", jsonPath: ".status.state" },
    { name: "Progress", jsonPath: ".status.run.progressPercent", type: "integer" },
  ],
  spec: z.object({
    instanceRef: referenceTo("ComputeInstance"),
    label: immutable(
      asValue(z.string().min(1).max(255)).describe("Label of the snapshot. Defaults to the name of the object."),
      {
        absent: ownName,
      },
    ).optional(),
    replacePrevious: immutable(
      z
        .boolean()
        .describe(
          "If true, the new snapshot deletes the existing snapshot of the instance. Needs notAfter. If absent, the operator takes no snapshot while the instance has a snapshot.",
        ),
      { absent: false },
    ).optional(),
  }),
  status: z.object({
    state: optionalText(32, "State of the snapshot in the API's words, such as running."),
    sizeMB: z.int().describe("Size of the disks in the snapshot, in MB.").optional(),
    created: optionalTime("Start time of the snapshot."),
    finished: optionalTime("End time of the snapshot."),
  }),
  reach: "own",
  ...onInstance,
  admission: [
    nameFits({ min: 1, max: 255 }),
    {
      fieldPath: ".spec.notAfter",
      cel: "!has(self.spec.replacePrevious) || !self.spec.replacePrevious || has(self.spec.notAfter)",
      message:
        "spec.replacePrevious needs spec.notAfter: the time, such as 2030-01-31T12:00:00Z, after which the operator does not replace a snapshot",
    },
  ],
  references: { instanceRef: { kind: "ComputeInstance", from: (spec) => spec.instanceRef, contained: true } },
  target: ({ refs }) => refs.instanceRef.id,
  createdField: "created",
  details: ({ id }) => ({ backups: { path: `/compute/instances/${id}/backups`, needs: ["snapshot"] } }),
  ready: ({ details }) => {
    const { inProgress } = snapshotsIn(details?.["backups"]);
    if (!inProgress || hasFailed(inProgress)) return { ready: true };
    const message = `snapshot ${inProgress.id} of the instance is ${inProgress.status}`;
    return { ready: false, reason: "Busy", message, busy: true };
  },
  request: ({ spec, name, id, details }) => {
    const { current } = snapshotsIn(details?.["backups"]);
    if (current && spec.replacePrevious !== true)
      throw new Invalid(
        "spec.replacePrevious",
        `instance ${id} has snapshot ${current.id} (${current.label ?? ""}), which a new snapshot would delete. The operator does nothing. To replace it, create a ComputeSnapshot with replacePrevious: true and notAfter`,
      );
    const label = spec.label ?? name;
    return {
      method: "POST",
      path: `/compute/instances/${id}/backups`,
      body: { label },
      action: "Snapshot",
      note: `Snapshot ${label} of instance ${id}${current ? `, which deletes snapshot ${current.id}` : ""}`,
      destructive: true,
      applies: { previous: String(current?.id ?? "") },
    };
  },
  made: ({ details, spec, name, applied }) => {
    const { current, inProgress } = snapshotsIn(details?.["backups"]);
    const own = [inProgress, current].find(
      (one) => one?.label === (spec.label ?? name) && String(one.id) !== applied?.["previous"],
    );
    if (!own) return undefined;
    return {
      id: String(own.id),
      created: own.created ?? undefined,
      ...(hasFailed(own) && { failed: `snapshot ${own.id} is ${own.status}` }),
    };
  },
  superseded: ({ details, run }) => {
    const snapshots = snapshotsIn(details?.["backups"]);
    if (withId(snapshots, run?.made)) return undefined;
    return snapshots.current ? `snapshot ${snapshots.current.id} has replaced it` : "it was deleted";
  },
  events: () => ({ names: ["compute_snapshot"] }),
  report: ({ details, run }) => {
    const own = details && withId(snapshotsIn(details["backups"]), run?.made);
    if (!own) return {};
    const sizeMB = own.disks?.reduce((sum, { size }) => sum + size, 0);
    return { state: own.status, sizeMB, created: rfc3339(own.created), finished: rfc3339(own.finished) };
  },
  examples: [
    { name: "before-upgrade", doc: "The first snapshot of an instance.", spec: { instanceRef }, needs },
    {
      name: "nightly",
      doc: "Replaces the existing snapshot, with a deadline.",
      spec: {
        instanceRef,
        label: "nightly",
        replacePrevious: true,
        notAfter: "2099-01-01T00:00:00Z",
        ttlSecondsAfterFinished: 604_800,
      },
      needs,
    },
  ],
});

function withId({ current, inProgress }: Snapshots, id: string | undefined): Snapshot | undefined {
  return [inProgress, current].find((one) => one && String(one.id) === id);
}
