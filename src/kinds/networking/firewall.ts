import * as z from "zod";
import { defineOwned } from "../../core/kind/owned.ts";
import { atMostTogether } from "../../core/kind/rules.ts";
import { orderedList, referencesTo } from "../../core/kind/schema.ts";
import { tags, tagsField } from "../../core/kind/tags.ts";
import { absentOrEmpty } from "../absent.ts";
import { labelField, nameFits, strictLabel } from "../label.ts";
import { deviceCalls, devicesInWords, devicesOf, instanceDevices } from "./firewall-devices.ts";
import { firewallExamples } from "./firewall-examples.ts";
import { addressStatus, reportAddresses } from "./address-ref.ts";
import { exposures } from "./exposure.ts";
import {
  enabledState,
  unlistedRules,
  ruleCalls,
  ruleFields,
  ruleRefsIn,
  ruleReferences,
  rulesAt,
  rulesOf,
  rulesToKeep,
  wantedRules,
  wireRules,
} from "./firewall-rules.ts";
import { optionalTime, rfc3339 } from "../time.ts";
import { inStatus, whole } from "../wire.ts";
import { optionalText } from "../text.ts";

const fields = z.object({
  label: strictLabel(32).optional(),
  enabled: enabledState.optional(),
  ...ruleFields.shape,
  instanceRefs: referencesTo("ComputeInstance", 500)
    .describe(
      `Complete list of protected instances. The operator attaches missing instances, and detaches instances outside the list. ${absentOrEmpty}`,
    )
    .optional(),
  tags: tags.optional(),
});

/** Packet-filter firewalls: part 3, sections 2.2 and 4.2; not-shown, section 4. */
export const firewall = defineOwned({
  kind: "Firewall",
  plural: "firewalls",
  shortNames: ["cpfw"],
  doc: "A packet-filter firewall, with rules and protected instances.",
  columns: [
    { name: "State", jsonPath: ".status.state" },
    { name: "ID", jsonPath: ".status.id" },
  ],
  spec: atMostTogether(fields, ["inbound", "outbound"], { most: 25, items: "rules" }),
  status: z.object({
    state: optionalText(32, "State in the cloud API: enabled, disabled or deleted."),
    devices: orderedList(
      z.object({
        id: z.string().max(32).describe("Identifier of the attachment."),
        instanceID: z.string().max(32).describe("Identifier of the instance."),
      }),
      1000,
    )
      .describe("Protected instances. Reported only if spec.instanceRefs is set.")
      .optional(),
    created: optionalTime("Creation time in the cloud."),
    ...addressStatus,
  }),
  wire: z.object({
    id: whole(),
    label: z.string(),
    status: z.string(),
    tags: z.array(z.string()).nullish(),
    rules: wireRules,
    created: z.string().nullish(),
  }),
  admission: [nameFits({ min: 3, max: 32, strict: true })],
  risks: exposures,
  references: {
    instanceRefs: { kind: "ComputeInstance", from: (spec) => spec.instanceRefs },
    ...ruleReferences,
  },
  reach: "own",
  listPath: () => "/networking/firewalls",
  eventEntity: "firewall",
  fields: {
    label: labelField,
    tags: tagsField,
    // A new firewall is enabled (part 3, section 3): the creation has no such field.
    status: {
      specField: "enabled",
      desired: ({ spec: { enabled } }) => (enabled === undefined ? undefined : enabled ? "enabled" : "disabled"),
      observed: (wire) => wire.status,
      concerns: "access",
      on: "update",
      describe: (state) => state === "enabled",
    },
    rules: { desired: ({ spec, refs }) => wantedRules(spec, refs), on: "create" },
    devices: {
      specField: "instanceRefs",
      desired: ({ refs: { instanceRefs: refs } }) =>
        refs && { computes: [...new Set(refs.map(({ id }) => Number(id)))] },
      on: "create",
    },
  },
  // The fields of the request that adds a device.
  specFields: { id: "instanceRefs", type: "instanceRefs" },
  exports: { spec: ({ told, find }) => ruleRefsIn(told, find) },
  unique: "enforced",
  createdField: "created",
  ready: ({ wire: { status } }) => {
    if (status === "enabled" || status === "disabled") return { ready: true };
    if (status !== "deleted") return inStatus(status);
    return { ready: false, reason: "Missing", message: "the cloud API reports the firewall as deleted", busy: true };
  },
  steps: {
    rules: {
      reach: "own",
      concerns: "access",
      specFields: ["inboundPolicy", "outboundPolicy", "inbound", "outbound"],
      read: ({ spec, refs, id, wire }) => rulesToKeep(rulesAt(id), spec, refs, wire.rules),
      calls: ({ spec, refs, id, wire }, current) => ruleCalls(rulesAt(id), { spec, refs }, wire.rules, current),
      describe: ({ spec, refs, wire }) => ({ cloud: wire.rules, spec: rulesOf(spec, refs) }),
    },
    devices: {
      reach: "own",
      concerns: "access",
      specFields: ["instanceRefs"],
      guards: "told",
      creation: ["devices"],
      exclusive: {
        reference: "instanceRefs",
        holds: (current) => instanceDevices(current).map(({ instanceID }) => instanceID),
      },
      read: ({ spec, id }) => (spec.instanceRefs ? devicesOf(id) : undefined),
      observes: ({ id }) => devicesOf(id),
      describe: ({ refs }, current) => devicesInWords(refs.instanceRefs, current),
      calls: ({ refs, id }, current) => deviceCalls(devicesOf(id).path, refs.instanceRefs, current),
    },
  },
  unlisted: ({ spec, wire }) => unlistedRules(spec, wire.rules),
  details: ({ spec, id }) => (spec.instanceRefs ? { devices: devicesOf(id) } : {}),
  report: ({ spec, refs, wire }, { devices }) => ({
    ...reportAddresses(refs.inbound, refs.outbound),
    state: wire.status,
    created: rfc3339(wire.created),
    ...(spec.instanceRefs && { devices: instanceDevices(devices) }),
  }),
  examples: firewallExamples,
});
