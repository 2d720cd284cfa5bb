import type { Json } from "../../api/types.ts";
import { defineOwned } from "../../core/kind/owned.ts";
import { nameFits } from "../label.ts";
import { generatedPassword, passwordNameFits } from "./deployed-image.ts";
import { creation, disruptionCalls, requireCopied } from "./deployment.ts";
import { instanceFields, instancePath, instanceReferences } from "./instance-fields.ts";
import type { LiveInstance } from "./instance-fields.ts";
import { instancePrice } from "./instance-price.ts";
import { instanceExamples } from "./instance-examples.ts";
import { alertCalls, alertsInWords, backupCalls, backupsInWords, cancelCalls } from "./instance-settings.ts";
import { disruptionRules, instanceSpec } from "./instance-spec.ts";
import { instanceStatus, instanceWire, reportAttachments, reportRow } from "./instance-status.ts";
import { interfaceCalls, interfacesInWords } from "./interfaces.ts";
import { powerCalls, powerInWords, readiness, removable } from "./power.ts";
import { beforeChange, bootedWith, insteadOf, restartCalls } from "./restart.ts";
import type { Booted } from "./restart.ts";

/**
 * Compute instances: part 2, sections 2 to 4; not-shown, section 3.
 *
 * The spec has no `group`, because the API deprecates the field in favor of tags. The status has no figures that change
 * without a change of the instance: statistics, transfer, time of the last backup.
 */
export const computeInstance = defineOwned({
  kind: "ComputeInstance",
  plural: "computeinstances",
  shortNames: ["cpvm"],
  noun: "instance",
  doc: "A virtual machine, deployed from an image, a backup or another instance, or empty.",
  columns: [
    { name: "State", jsonPath: ".status.state" },
    { name: "Type", jsonPath: ".status.type" },
    { name: "Region", jsonPath: ".status.region" },
    { name: "IPv4", jsonPath: ".status.ipv4[0]" },
    { name: "ID", jsonPath: ".status.id" },
    { name: "IPv6", jsonPath: ".status.ipv6", priority: 1 },
    { name: "Wanted Type", jsonPath: ".spec.type", priority: 1 },
    { name: "Wanted Region", jsonPath: ".spec.region", priority: 1 },
    { name: "Image", jsonPath: ".status.image", priority: 1 },
    { name: "Password Secret", jsonPath: ".status.rootPasswordSecretName", priority: 1 },
  ],
  spec: instanceSpec,
  status: instanceStatus,
  wire: instanceWire,
  risks: [
    {
      fields: ["allowDisruption"],
      when: "object.spec.?allowDisruption.orValue([]).exists(one, one != 'Restart')",
      message:
        "spec.allowDisruption also permits the next change of type, region or image. Remove it when this change is made",
    },
  ],
  admission: [nameFits({ min: 3, max: 64, strict: true }), ...disruptionRules, passwordNameFits],
  references: instanceReferences,
  reach: "own",
  listPath: () => "/compute/instances",
  eventEntity: "compute",
  fields: instanceFields,
  specFields: { disks: "source.clone.diskIDs", configs: "source.clone.configIDs" },
  copied: ["ipv4", "ipv6"],
  unique: "none",
  monthly: instancePrice,
  billable: true,
  canStop: true,
  createdField: "created",
  ready: ({ wire, spec }) => readiness(wire.status, spec.powerState),
  steps: {
    // First step: the operator waits for the copy, and sends no other request. Large disks take a long time.
    copies: {
      reach: "own",
      concerns: "none",
      specFields: [],
      read: ({ spec, id }) => (spec.source ? { path: `${instancePath(id)}/disks`, paged: true } : undefined),
      calls: requireCopied,
    },
    // The cloud API refuses other changes during a disruption.
    disruption: {
      reach: "own",
      concerns: "data",
      specFields: ["type", "region", "image"],
      oneAtATime: true,
      calls: disruptionCalls,
    },
    backups: { reach: "own", concerns: "money", specFields: ["backups"], calls: backupCalls, describe: backupsInWords },
    alerts: { reach: "own", concerns: "none", specFields: ["alerts"], calls: alertCalls, describe: alertsInWords },
    interfaces: {
      reach: "own",
      concerns: "access",
      specFields: ["interfaces"],
      guards: "told",
      shownBy: "ComputeConfig",
      observes: ({ id }) => profiles(id),
      describe: (_, read) => ({ cloud: interfacesInWords(read) }),
      read: ({ spec, id }) => (spec.interfaces ? profiles(id) : undefined),
      calls: (live, read) => {
        const { spec, id } = live;
        if (!spec.interfaces) return [];
        return interfaceCalls(profiles(id).path, spec.interfaces, read, beforeChange(bootedOf(live, read)));
      },
    },
    restart: {
      reach: "own",
      concerns: "data",
      specFields: ["interfaces"],
      read: ({ spec, id }) => (spec.interfaces ? profiles(id) : undefined),
      calls: (live, read) =>
        restartCalls(instancePath(live.id), bootedOf(live, read), {
          what: "spec.interfaces",
          ...insteadOf({ allowDisruption: live.spec.allowDisruption ?? [] }),
        }),
    },
    power: { reach: "own", concerns: "data", specFields: ["powerState"], calls: powerCalls, describe: powerInWords },
    // Last step, because a failure of a later step would prevent the record in `applied`. Without the record, a reconcile
    // would delete newer backups.
    cancelBackups: { reach: "own", concerns: "data", specFields: ["backups"], calls: cancelCalls },
  },
  verbs: { create: creation },
  removable,
  details: ({ spec, id }) => ({
    ...(spec.interfaces && { profiles: profiles(id) }),
    ...(spec.reportAttachments && {
      volumes: { path: `${instancePath(id)}/volumes`, paged: true },
      nodeBalancers: { path: `${instancePath(id)}/nodebalancers`, paged: true },
    }),
  }),
  report: (live, details) => {
    const { wire, spec, name, adopted } = live;
    const secret = spec.rootPasswordSecretRef ?? (adopted ? undefined : generatedPassword(spec, name));
    return {
      ...reportRow(wire),
      ...reportAttachments(details),
      ...(secret && { rootPasswordSecretName: secret.name }),
    };
  },
  records: (live, details) => bootedWith(bootedOf(live, details["profiles"])),
  holdsData: true,
  loses: "the instance with its disks and its backups",
  examples: instanceExamples,
});

function bootedOf({ wire, notes, done, operations, now }: LiveInstance, read: Json | undefined): Booted {
  return { profile: interfacesInWords(read)["interfaces"], state: wire.status, notes, done, operations, now };
}

function profiles(id: string) {
  return { path: `${instancePath(id)}/configs`, paged: true };
}
