/*
 * Serves configs: devices, interfaces and boot options of an instance.
 * Guarantees: a config refers only to disks and volumes of the same instance.
 * Imports the areas that compute may import.
 */
import * as z from "zod";
import { regionNamed } from "../../catalog/offers.ts";
import { invalid, notFound } from "../../server/errors.ts";
import { recordEvent } from "../../server/events.ts";
import { rowList } from "../../server/lists/paging.ts";
import { rowOf } from "../../server/operation.ts";
import type { Context } from "../../server/operation.ts";
import { SHARED } from "../../server/store/store.ts";
import { given, optional, text, timestamp } from "../../server/wire.ts";
import { KERNELS } from "../catalogs/tables.ts";
import { configEntity, instanceEntity } from "../instance-entity.ts";
import { instanceOperation } from "../instance-operation.ts";
import { DEFAULT_HELPERS, newConfig } from "../instances/deployment.ts";
import { CONFIGS } from "../tables.ts";
import type { ConfigRow, InstanceRow } from "../tables.ts";
import { deviceRows, devicesSchema, presentConfigDevices } from "./config-devices.ts";
import { interfaceRows, interfacesSchema, presentInterface } from "./interfaces.ts";

const flag = optional(z.boolean());
const label = text(1, 48);

const fields = {
  comments: z.string().nullable().optional(),
  helpers: optional(
    z.object({
      devtmpfs_automount: flag,
      distro: flag,
      modules_dep: flag,
      network: flag,
      updatedb_disabled: flag,
    }),
  ),
  interfaces: interfacesSchema,
  kernel: optional(z.string()),
  memory_limit: optional(z.int().min(0, "Must not be negative")),
  root_device: optional(z.string()),
  run_level: optional(z.enum(["default", "single", "binbash"])),
  virt_mode: optional(z.enum(["paravirt", "fullvirt"])),
};
const createBody = z.object({ ...fields, devices: devicesSchema, label });
const updateBody = z.object({ ...fields, devices: optional(devicesSchema), label: optional(label) });

/** Serves the configs of an instance (part 2 section 4.3). A change does not reboot the instance (not-shown section 3). */
export const configOperations = [
  instanceOperation({
    method: "GET",
    path: "/configs",
    summary: "List the configs of an instance",
    paged: { filterable: ["label", "interfaces", "interfaces.*"] },
    handler: ({ world, account }, instance) =>
      rowList(world.store.children(CONFIGS, account, instance.id), (row) => presentConfig(row, instance)),
  }),
  instanceOperation({
    method: "POST",
    path: "/configs",
    summary: "Create a config",
    body: createBody,
    handler(context, instance) {
      const { world, account, body } = context;
      const config = newConfig(world, account, instance.id, {
        ...changes(context, instance),
        label: body.label,
        devices: deviceRows(context, instance.id, body.devices),
      });
      return told(context, instance, "compute_config_create", config);
    },
  }),
  instanceOperation({
    method: "GET",
    path: "/configs/{configId}",
    summary: "View a config",
    handler: (context, instance) => presentConfig(configOf(context, instance), instance),
  }),
  instanceOperation({
    method: "PUT",
    path: "/configs/{configId}",
    summary: "Change a config",
    body: updateBody,
    handler(context, instance) {
      const { world, account, body, now } = context;
      const before = configOf(context, instance);
      const config = world.store.put(CONFIGS, account, {
        ...before,
        ...changes(context, instance, before),
        label: body.label ?? before.label,
        devices: body.devices ? deviceRows(context, instance.id, body.devices) : before.devices,
        updated: now,
      });
      return told(context, instance, "compute_config_update", config);
    },
  }),
  instanceOperation({
    method: "DELETE",
    path: "/configs/{configId}",
    summary: "Delete a config",
    handler(context, instance) {
      const config = configOf(context, instance);
      context.world.store.remove(CONFIGS, context.account, config.id);
      told(context, instance, "compute_config_delete", config);
      return {};
    },
  }),
];

/** Returns a config in the form of the API (part 2 section 2.4). */
function presentConfig(row: ConfigRow, { status, lastBootedConfig }: Readonly<InstanceRow>): Record<string, unknown> {
  const { instance: _instance, created, updated, devices, interfaces, ...shown } = row;
  const active = status === "running" && lastBootedConfig === row.id;
  return {
    ...shown,
    created: timestamp(created),
    updated: timestamp(updated),
    initrd: null,
    devices: presentConfigDevices(devices),
    interfaces: interfaces.map((each) => presentInterface(each, active)),
  };
}

function configOf(context: Context, instance: Readonly<InstanceRow>): Readonly<ConfigRow> {
  const config = rowOf(context, CONFIGS, context.params["configId"]);
  if (config.instance !== instance.id) throw notFound();
  return config;
}

/** Returns the checked fields of the body. Interfaces are replaced as a whole (part 2 section 2.5). */
function changes(
  { world, body }: Context<z.output<typeof updateBody>>,
  instance: Readonly<InstanceRow>,
  before?: ConfigRow,
): Partial<ConfigRow> {
  const { helpers, interfaces, label: _label, devices: _devices, ...plain } = body;
  if (plain.kernel !== undefined && !world.store.get(KERNELS, SHARED, plain.kernel))
    throw invalid("kernel", "kernel is not valid");
  return {
    ...given(plain),
    ...(helpers && { helpers: { ...(before?.helpers ?? DEFAULT_HELPERS), ...given(helpers) } }),
    ...(interfaces && { interfaces: interfaceRows(world, regionNamed(world, instance.region), interfaces) }),
  };
}

function told(context: Context, instance: Readonly<InstanceRow>, action: string, config: ConfigRow): unknown {
  const { world, account, caller } = context;
  const entities = { entity: instanceEntity(instance), secondary: configEntity(config) };
  recordEvent(world, account, { action, ...entities, caller });
  return presentConfig(config, instance);
}
