/** The row of a configuration profile, and what an instance takes over of it when it boots. */
import * as z from "zod";
import type { JsonObject } from "../../api/types.ts";
import type { Resolved } from "../../core/kind/reference.ts";
import { whole } from "../wire.ts";
import { filled, wireDevices } from "./config-spec.ts";
import { comparable, wireInterfaces } from "./interfaces.ts";
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

/** The fields that an instance takes over when it boots. */
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

interface LiveConfig {
  wire: ConfigRow;
  reported: () => JsonObject;
  done: JsonObject[];
  refs: { instanceRef: Resolved };
}

/** Returns what tells whether the instance of the profile needs a restart. */
export function bootedOf({ wire, reported, refs, done }: LiveConfig): Booted {
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
    reported: reported(),
    done,
  };
}

function byName([one]: [string, unknown], [other]: [string, unknown]): number {
  return one < other ? -1 : 1;
}
