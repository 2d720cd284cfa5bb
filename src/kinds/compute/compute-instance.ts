import { defineKind } from "../../core/define-kind.ts";
import { given } from "../given.ts";
import { nameFits } from "../label.ts";
import { creation } from "./deployment.ts";
import { disruptionCalls, disruptiveValues } from "./disruption.ts";
import { instanceExamples } from "./instance-examples.ts";
import { alertCalls, backupCalls, cancelCalls } from "./instance-settings.ts";
import type { InstanceSpec } from "./instance-spec.ts";
import { instanceSpec } from "./instance-spec.ts";
import { instanceStatus, instanceWire, reportAttachments, reportRow } from "./instance-status.ts";
import { interfaceBody, interfaceCalls } from "./interfaces.ts";
import { powerCalls, readiness, removable } from "./power.ts";

/**
 * Compute instances: part 2, sections 2 to 4; not-shown, section 3.
 *
 * `group` is left out: the API calls it deprecated and has tags for the same. Figures that change by themselves
 * (statistics, transfer, the time of the last backup) are not status.
 */
export const computeInstance = defineKind({
  kind: "ComputeInstance",
  plural: "computeinstances",
  shortNames: ["cpvm"],
  doc: "A virtual machine: deployed from an image, a backup or another instance, or empty.",
  columns: [
    { name: "State", jsonPath: ".status.state" },
    { name: "Type", jsonPath: ".spec.type" },
    { name: "Region", jsonPath: ".spec.region" },
    { name: "IPv4", jsonPath: ".status.ipv4[0]" },
    { name: "ID", jsonPath: ".status.id" },
    { name: "IPv6", jsonPath: ".status.ipv6", priority: 1 },
    { name: "Image", jsonPath: ".status.image", priority: 1 },
  ],
  spec: instanceSpec,
  status: instanceStatus,
  wire: instanceWire,
  admission: [
    nameFits({ min: 3, max: 64, strict: true }),
    {
      cel: "!has(self.spec.image) || has(self.spec.rootPasswordSecretRef) || size(self.metadata.name) <= 239",
      message: "metadata.name is too long to name a Secret after it; set spec.rootPasswordSecretRef",
    },
  ],
  references: {
    rootPasswordSecretRef: {
      secret: (spec) => spec.rootPasswordSecretRef,
      key: "password",
      generate: generatedPassword,
      creationOnly: true,
      neededFor: "image",
    },
    // The API takes it in base64, so that it may be gzip.
    userDataSecretRef: {
      secret: (spec) => spec.userDataSecretRef,
      key: "user-data",
      encoding: "base64",
      creationOnly: true,
      neededFor: "image",
    },
    "stackScript.dataSecretRef": {
      secret: (spec) => spec.stackScript?.dataSecretRef,
      key: "data",
      creationOnly: true,
      neededFor: "image",
    },
    "source.backup": { kind: "ComputeSnapshot", from: (spec) => spec.source?.backup, creationOnly: true },
    "source.clone.instanceRef": {
      kind: "ComputeInstance",
      from: (spec) => spec.source?.clone?.instanceRef,
      creationOnly: true,
    },
  },
  collection: () => "/compute/instances",
  eventEntity: "compute",
  tagged: true,
  lostCreate: {
    uniqueness: "none",
    billable: true,
    naturalKey: ({ spec, name }) => ({ label: spec.label ?? name }),
    createOnly: ({ spec }) => given({ region: spec.region, type: spec.type, image: spec.image }),
    createdField: "created",
  },
  desired: ({ spec, name }) =>
    given({
      label: spec.label ?? name,
      region: spec.region,
      type: spec.type,
      image: spec.image,
      tags: spec.tags?.toSorted(),
      watchdog_enabled: spec.watchdogEnabled,
      private_ip: spec.privateIP,
      backups_enabled: spec.backups?.enabled,
      interfaces: spec.interfaces?.map(interfaceBody),
    }),
  observed: (wire) => ({
    label: wire.label,
    tags: (wire.tags ?? []).toSorted(),
    watchdog_enabled: wire.watchdog_enabled ?? null,
  }),
  ready: ({ wire, spec }) => readiness(wire.status, spec.powerState),
  steps: {
    disruption: { calls: (live) => disruptionCalls(instancePath(live.id), live) },
    backups: { calls: (live) => backupCalls(instancePath(live.id), live) },
    alerts: { calls: (live) => alertCalls(instancePath(live.id), live) },
    interfaces: {
      read: ({ spec, id }) => (spec.interfaces ? { path: `${instancePath(id)}/configs`, paged: true } : undefined),
      calls: ({ spec, id }, configs) =>
        spec.interfaces ? interfaceCalls(`${instancePath(id)}/configs`, spec.interfaces, configs) : [],
    },
    power: { calls: ({ wire, spec, id }) => powerCalls(instancePath(id), wire.status, spec.powerState) },
    // Last: nothing may keep it from being noted as applied, so that it is not done again to backups made since.
    cancelBackups: { calls: (live) => cancelCalls(instancePath(live.id), live) },
  },
  verbs: { create: (wanted, body) => creation(wanted, body) },
  removable,
  details: ({ spec, id }) =>
    spec.reportAttachments
      ? {
          volumes: { path: `${instancePath(id)}/volumes`, paged: true },
          nodeBalancers: { path: `${instancePath(id)}/nodebalancers`, paged: true },
        }
      : {},
  report: ({ wire, spec, name, adopted }, details) => {
    const secret = spec.rootPasswordSecretRef ?? (adopted ? undefined : generatedPassword(spec, name));
    return {
      ...reportRow(wire),
      ...reportAttachments(details),
      ...(secret && { rootPasswordSecretName: secret.name }),
    };
  },
  disruptive: disruptiveValues,
  holdsData: true,
  examples: instanceExamples,
});

/** Where the root password is kept that is made when an image is deployed and none is given. */
function generatedPassword(spec: InstanceSpec, name: string): { name: string; key: string } | undefined {
  return spec.image === undefined ? undefined : { name: `${name}-root-password`, key: "password" };
}

function instancePath(id: string): string {
  return `/compute/instances/${id}`;
}
