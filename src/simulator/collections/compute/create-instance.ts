import * as z from "zod";
import { requireFunds, requireSold } from "../../compute/conditions.ts";
import {
  checkDeployment,
  checkUserData,
  deployImage,
  deploymentFields,
  metadataSchema,
  regionNamed,
  typeNamed,
} from "../../compute/deployment.ts";
import { startAction } from "../../compute/instance-actions.ts";
import { interfaceRows, interfacesSchema } from "../../compute/interfaces.ts";
import { CREATE } from "../../compute/lifecycle.ts";
import { openInstance } from "../../compute/new-instance.ts";
import { presentInstance } from "../../compute/present.ts";
import { copyOnto, usableBackup } from "../../compute/restoration.ts";
import { invalid } from "../../errors.ts";
import { operation } from "../../operation.ts";
import { useTags } from "../../tagging.ts";
import { given } from "../given.ts";
import { optional, strictLabel, tagList } from "../../wire.ts";

const createBody = z.object({
  ...deploymentFields,
  backup_id: optional(z.int()),
  backups_enabled: optional(z.boolean()),
  booted: optional(z.boolean()),
  group: optional(z.string()),
  interfaces: interfacesSchema,
  label: optional(strictLabel(3, 64)),
  metadata: metadataSchema,
  private_ip: optional(z.boolean()),
  region: z.string(),
  swap_size: optional(z.int().min(0, "Must not be negative")),
  tags: optional(tagList),
  type: z.string(),
});

/** Creates an instance from an image, a StackScript, a backup, or empty (part 2 section 4.1). */
export const createInstance = operation({
  method: "POST",
  path: "/compute/instances",
  summary: "Create an instance",
  scopes: ["compute:read_write"],
  grant: "add_computes",
  limit: { bucket: "instance create", requests: 10, seconds: 30 },
  body: createBody,
  handler(context) {
    const { world, account, body } = context;
    requireFunds(context);
    const region = regionNamed(world, body.region);
    const type = typeNamed(world, body.type);
    requireSold(world, region, type);
    const image = checkDeployment(context, body);
    if (body.metadata?.user_data !== undefined) checkUserData(image, region);
    const backup = body.backup_id === undefined ? undefined : usableBackup(context, body.backup_id);
    if (backup && image) throw invalid("image", "Give either backup_id or image");
    if (backup && backup.region !== region.id) throw invalid("region", "A backup is restored in its own region");
    const interfaces = interfaceRows(world, region, body.interfaces);

    const instance = openInstance(context, {
      ...given({ label: body.label, group: body.group, root_pass: body.root_pass }),
      region: region.id,
      type,
      image: image?.id ?? null,
      tags: useTags(context, body.tags ?? []),
      user_data: body.metadata?.user_data ?? null,
      privateAddress: body.private_ip,
      backups: body.backups_enabled,
    });
    let config: number | undefined;
    if (image) {
      const deployment = { image, type, swapSize: body.swap_size ?? 512, rootPass: body.root_pass ?? "", interfaces };
      config = deployImage(world, account, instance, deployment).id;
    }
    if (backup) config = copyOnto(world, account, backup, { instance, room: type.disk, field: "type" });
    // What has nothing to boot is offline at once and stays so (part 2 section 3).
    if (!image && !backup) return presentInstance(world, account, instance);
    const payload = { config: body.booted === false ? null : (config ?? null) };
    return presentInstance(
      world,
      account,
      startAction(world, account, instance, CREATE, { caller: context.caller, payload }),
    );
  },
});
