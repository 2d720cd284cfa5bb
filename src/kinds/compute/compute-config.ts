import * as z from "zod";
import { defineOwned } from "../../core/kind/owned.ts";
import { told } from "../given.ts";
import { labelField, nameFits } from "../label.ts";
import { optionalTime, rfc3339 } from "../time.ts";
import { configExamples } from "./config-examples.ts";
import { bootedOf, bootFields, configWire, updateOf } from "./config-row.ts";
import { configSpec, deviceReferences, devicesOf, filled, helpersBody, interfacesOf } from "./config-spec.ts";
import { instancePath } from "./instance-fields.ts";
import { interfaceBody } from "./interfaces.ts";
import { bootedWith, insteadOf, needsRestart, restartCalls } from "./restart.ts";
import { optionalText } from "../text.ts";

/**
 * Configuration profiles of an instance: part 2, sections 2.4 and 4.3; not-shown, sections 3 and 9.
 * Creation: by label, which is not unique. A profile is free. After a lost response, the operator searches the list first.
 */
export const computeConfig = defineOwned({
  kind: "ComputeConfig",
  plural: "computeconfigs",
  shortNames: ["cpcfg"],
  noun: "configuration profile",
  doc: "A configuration profile of a ComputeInstance: kernel, disks and network interfaces. A change takes effect when the instance boots.",
  columns: [
    { name: "Instance", jsonPath: ".spec.instanceRef.name" },
    { name: "Kernel", jsonPath: ".status.kernel" },
    { name: "ID", jsonPath: ".status.id" },
  ],
  spec: configSpec,
  status: z.object({
    kernel: optionalText(128, "Kernel that the instance boots."),
    rootDevice: optionalText(128, "Device of the root file system."),
    created: optionalTime("Creation time in the cloud."),
  }),
  wire: configWire,
  admission: [nameFits({ min: 1, max: 48 })],
  references: {
    instanceRef: { kind: "ComputeInstance", from: (spec) => spec.instanceRef, contained: true },
    ...deviceReferences,
  },
  reach: "own",
  listPath: ({ refs }) => `/compute/instances/${refs.instanceRef.id}/configs`,
  fields: {
    label: labelField,
    comments: { desired: ({ spec }) => spec.comments, observed: (wire) => wire.comments ?? "", concerns: "none" },
    devices: {
      desired: ({ spec, refs }) => devicesOf(spec.devices, refs),
      observed: (wire) => filled(wire.devices ?? {}),
    },
    helpers: { desired: ({ spec }) => spec.helpers && helpersBody(spec.helpers), observed: (wire) => wire.helpers },
    interfaces: {
      desired: ({ spec, refs }) => interfacesOf(spec.interfaces, refs.instanceRef)?.map(interfaceBody),
      observed: (wire) => (wire.interfaces ?? []).map(told),
      concerns: "access",
    },
    kernel: { desired: ({ spec }) => spec.kernel, observed: (wire) => wire.kernel },
    memory_limit: {
      specField: "memoryLimitMB",
      desired: ({ spec }) => spec.memoryLimitMB,
      observed: (wire) => wire.memory_limit,
    },
    root_device: { desired: ({ spec }) => spec.rootDevice, observed: (wire) => wire.root_device },
    run_level: { desired: ({ spec }) => spec.runLevel, observed: (wire) => wire.run_level },
    virt_mode: { desired: ({ spec }) => spec.virtMode, observed: (wire) => wire.virt_mode },
  },
  unique: "none",
  canStop: true,
  createdField: "created",
  steps: {
    restart: {
      reach: "own",
      concerns: "data",
      specFields: [...bootFields],
      read: (live) => (needsRestart(bootedOf(live)) ? { path: live.list, paged: true } : undefined),
      calls: (live, profiles) => {
        // If the instance has several profiles, the cloud API does not show the booted profile.
        if (!Array.isArray(profiles) || profiles.length !== 1) return [];
        const { id, spec } = live.refs.instanceRef;
        return restartCalls(instancePath(id), bootedOf(live), { what: "the profile", ...insteadOf(spec) });
      },
    },
  },
  verbs: { update: (live, body) => updateOf(live, body) },
  report: (live) => ({
    kernel: live.wire.kernel ?? undefined,
    rootDevice: live.wire.root_device ?? undefined,
    created: rfc3339(live.wire.created),
  }),
  records: (live) => bootedWith(bootedOf(live)),
  examples: configExamples,
});
