/** Row of a configuration profile, and the profile fields that an instance reads at boot. */
import * as z from "zod";
import type { JsonObject } from "../../api/types.ts";
import type { Request } from "../../core/kind/call.ts";
import { Waiting } from "../../core/kind/outcome.ts";
import type { Resolved } from "../../core/kind/reference.ts";
import { whole } from "../wire.ts";
import { filled, wireDevices } from "./config-spec.ts";
import { comparable, wireInterfaces } from "./interfaces.ts";
import { isInTransition } from "./power.ts";
import { beforeChange } from "./restart.ts";
import type { Booted } from "./restart.ts";

export const configWire = z.object({
  id: whole(),
  label: z.string(),
  comments: z.string().nullish(),
  devices: wireDevices.nullish(),
  helpers: z.record(z.string(), z.boolean()).nullish(),
  interfaces: wireInterfaces.nullish(),
  kernel: z.string().nullish(),
  memory_limit: whole().nullish(),
  root_device: z.string().nullish(),
  run_level: z.string().nullish(),
  virt_mode: z.string().nullish(),
  created: z.string().nullish(),
});

type ConfigRow = z.output<typeof configWire>;

/** Fields that take effect when the instance boots. */
export const bootFields = [
  "devices",
  "helpers",
  "interfaces",
  "kernel",
  "memoryLimitMB",
  "rootDevice",
  "runLevel",
  "virtMode",
] as const;

interface LiveConfig extends Pick<Booted, "done" | "operations" | "now"> {
  wire: ConfigRow;
  notes: Booted["notes"];
  refs: { instanceRef: Resolved };
}

/** Returns the facts for the decision whether the instance needs a restart. */
export function bootedOf({ wire, notes, refs, done, operations, now }: LiveConfig): Booted {
  const state = refs.instanceRef.status?.["state"];
  const { helpers, kernel, memory_limit: memory, root_device: root, run_level: level, virt_mode: mode } = wire;
  const slots = Object.entries(filled(wire.devices ?? {})).toSorted(byName);
  const interfaces = (wire.interfaces ?? []).map(comparable);
  const profile = [
    slots,
    Object.entries(helpers ?? {}).toSorted(byName),
    interfaces,
    kernel,
    memory,
    root,
    level,
    mode,
  ];
  return {
    profile: profile.map((one) => one ?? null),
    state: typeof state === "string" ? state : undefined,
    notes,
    done,
    operations,
    now,
  };
}

/**
 * Returns the request that changes a profile. During an operation on the instance, the cloud API does not show whether the
 * instance already booted the profile. The operator waits, to decide correctly about a restart.
 */
export function updateOf(live: LiveConfig & { id: string; list: string }, body: JsonObject): Request {
  const request = { method: "PUT", path: `${live.list}/${live.id}`, body } as const;
  if (Object.keys(body).every((field) => field === "label" || field === "comments")) return request;
  const booted = bootedOf(live);
  // The status of a paused object can be outdated.
  const { policy } = (live.refs.instanceRef.spec?.["management"] ?? {}) as { policy?: string };
  if (isInTransition(booted.state) && policy !== "Paused") {
    const text = `the instance is ${booted.state}. The operator changes the profile after that, to know whether a restart is needed`;
    throw new Waiting("Busy", text, 5_000);
  }
  return { ...request, ...beforeChange(booted) };
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}
