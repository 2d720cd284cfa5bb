import * as z from "zod";
import { requireFunds } from "../../account/funds.ts";
import { regionNamed, requireSold } from "../../catalog/offers.ts";
import { imageEntity } from "../../images/lifecycle.ts";
import { assignFirewall } from "../../networking/firewalls/assignment.ts";
import { reservedFor } from "../../networking/addresses/reservation.ts";
import { FIREWALLS } from "../../networking/firewalls/tables.ts";
import type { FirewallRow } from "../../networking/firewalls/tables.ts";
import { permits } from "../../server/auth/auth.ts";
import { both, invalid } from "../../server/errors.ts";
import { operation } from "../../server/operation.ts";
import type { Context } from "../../server/operation.ts";
import { given, optional, strictLabel, tagList } from "../../server/wire.ts";
import { useTags } from "../../tags/use-tags.ts";
import { startInstanceAction } from "../actions/instance-action.ts";
import { CREATE } from "../actions/lifecycle.ts";
import { copyOnto, usableBackup } from "../backups/restoration.ts";
import { typeNamed } from "../catalogs/compute-types.ts";
import { interfaceRows, interfacesSchema } from "../configs/interfaces.ts";
import { checkDeployment, checkUserData, deployImage, deploymentFields, metadataSchema } from "./deployment.ts";
import { maintenancePolicy } from "./maintenance-policy.ts";
import { INSTANCE_CREATIONS, openInstance } from "./new-instance.ts";
import { presentInstance } from "./present-instance.ts";

const createBody = z.object({
  ...deploymentFields,
  backup_id: optional(z.int()),
  backups_enabled: optional(z.boolean()),
  booted: optional(z.boolean()),
  /** Sent by newer clients. Some send an ID without a firewall to request no firewall. */
  firewall_id: optional(z.int()),
  group: optional(z.string()),
  interfaces: interfacesSchema,
  /** Sent by newer clients: a reserved address. */
  ipv4: optional(z.array(z.string())),
  label: optional(strictLabel(3, 64)),
  metadata: metadataSchema,
  maintenance_policy: maintenancePolicy,
  private_ip: optional(z.boolean()),
  region: z.string(),
  swap_size: optional(z.int().min(0, "Must not be negative")),
  tags: optional(tagList),
  type: z.string(),
});

const SECONDS_EMPTY = 5;

/** Creates an instance from an image, a StackScript, a backup, or empty (part 2 section 4.1). */
export const createInstance = operation({
  method: "POST",
  path: "/compute/instances",
  summary: "Create an instance",
  scopes: ["compute:read_write"],
  grant: "add_computes",
  limit: INSTANCE_CREATIONS,
  body: createBody,
  handler(context) {
    const { world, account, body } = context;
    requireFunds(context);
    const [type, region] = both(
      () => typeNamed(world, body.type),
      () => regionNamed(world, body.region),
    );
    requireSold(world, region, type);
    const image = checkDeployment(context, body);
    if (body.metadata?.user_data !== undefined) checkUserData(image, region);
    const backup = body.backup_id === undefined ? undefined : usableBackup(context, body.backup_id);
    if (backup && image) throw invalid("image", "Give either backup_id or image");
    if (backup && backup.region !== region.id) throw invalid("region", "A backup is restored in its own region");
    const interfaces = interfaceRows(world, region, body.interfaces);
    const firewall = (body.firewall_id ?? 0) > 0 ? firewallNamed(context, Number(body.firewall_id)) : undefined;
    const reserved = reservedFor(context, region.id, body.ipv4);

    const instance = openInstance(context, {
      ...given({ label: body.label, group: body.group, root_pass: body.root_pass }),
      region: region.id,
      type,
      image: image?.id ?? null,
      tags: useTags(context, body.tags ?? []),
      user_data: body.metadata?.user_data ?? null,
      maintenance_policy: body.maintenance_policy,
      privateAddress: body.private_ip,
      reserved,
      backups: body.backups_enabled,
    });
    if (firewall) assignFirewall(world, account, firewall, instance.id);
    let config: number | undefined;
    if (image) {
      const deployment = { image, type, swapSize: body.swap_size ?? 512, rootPass: body.root_pass ?? "", interfaces };
      config = deployImage(world, account, instance, deployment).id;
    }
    if (backup) config = copyOnto(world, account, backup, { instance, room: type.disk, field: "type" });
    const payload = { config: body.booted === false ? null : (config ?? null) };
    const secondary = image && imageEntity(image);
    const started = startInstanceAction(world, account, instance, CREATE, {
      caller: context.caller,
      payload,
      ...(secondary && { secondary }),
      // An instance without a bootable disk is offline after a moment and stays offline (part 2 section 3).
      ...(!image && !backup && { seconds: SECONDS_EMPTY }),
    });
    return presentInstance(world, account, started);
  },
});

function firewallNamed({ world, account, caller }: Context, id: number): Readonly<FirewallRow> {
  const firewall = world.store.get(FIREWALLS, account, id);
  if (!firewall || !permits(caller, "firewall", id, "read_write"))
    throw invalid("firewall_id", `There is no firewall ${id}`);
  return firewall;
}
