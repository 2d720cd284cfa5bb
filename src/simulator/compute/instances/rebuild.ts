import * as z from "zod";
import { requireFunds, requireNothingOutstanding } from "../../account/funds.ts";
import { regionNamed, requireSold } from "../../catalog/offers.ts";
import type { ImageRow } from "../../images/tables.ts";
import { invalid } from "../../server/errors.ts";
import type { Context } from "../../server/operation.ts";
import { optional, text } from "../../server/wire.ts";
import { requireIdle, startInstanceAction } from "../actions/instance-action.ts";
import { REBUILD, removeContents } from "../actions/lifecycle.ts";
import { typeNamed } from "../catalogs/compute-types.ts";
import type { ComputeTypeRow } from "../catalogs/tables.ts";
import { instanceOperation } from "../instance-operation.ts";
import type { InstanceRow } from "../tables.ts";
import { requireDisksFit } from "./conditions.ts";
import { checkDeployment, checkUserData, deployImage, deploymentFields, metadataSchema } from "./deployment.ts";
import { presentInstance } from "./present-instance.ts";

const rebuildBody = z.object({
  ...deploymentFields,
  booted: optional(z.boolean()),
  image: z.string(),
  metadata: metadataSchema,
  root_pass: text(7, 128),
  type: optional(z.string()),
});
type Request = Context<z.output<typeof rebuildBody>>;

/** A rebuild with a resize migrates the instance and takes longer (part 2 section 4.5 rule 4). */
const SECONDS_WITH_TYPE = 120;

/** Deletes all disks and configs, and deploys an image (part 2 section 4.5 rule 4). */
export const rebuildOperations = [
  instanceOperation({
    method: "POST",
    path: "/rebuild",
    summary: "Rebuild an instance from an image",
    body: rebuildBody,
    handler(context: Request, instance) {
      const { world, account, body, caller } = context;
      requireIdle(world, account, instance);
      requireFunds(context);
      const region = regionNamed(world, instance.region);
      const type = wantedType(context, instance);
      const image = checkDeployment(context, body);
      if (!image) throw invalid("image", "image is required");
      if (body.metadata?.user_data !== undefined) checkUserData(image, region);

      const rebuilt = renewed(context, instance, type, image);
      // In recorded traffic, the instance shows the old type until the end of the migration.
      const payload = { config: body.booted === false ? null : rebuilt.config, type: type.id };
      const seconds = body.type === undefined ? {} : { seconds: SECONDS_WITH_TYPE };
      const started = startInstanceAction(world, account, rebuilt.instance, REBUILD, { caller, payload, ...seconds });
      return presentInstance(world, account, started);
    },
  }),
];

/** Returns the requested type. A new type must satisfy the rules of a resize. */
function wantedType(context: Request, instance: Readonly<InstanceRow>): Readonly<ComputeTypeRow> {
  const { world, account, body } = context;
  const type = typeNamed(world, body.type ?? instance.type);
  if (type.id === instance.type) return type;
  requireNothingOutstanding(context);
  requireSold(world, regionNamed(world, instance.region), type);
  requireDisksFit(world, account, instance.id, type);
  return type;
}

function renewed(
  { world, account, body }: Request,
  instance: InstanceRow,
  type: ComputeTypeRow,
  image: ImageRow,
): { instance: InstanceRow; config: number } {
  removeContents(world, account, instance.id);
  const deployment = { image, type, swapSize: 512, rootPass: body.root_pass, interfaces: [] };
  const config = deployImage(world, account, instance, deployment).id;
  const user_data = body.metadata?.user_data ?? null;
  const fields = { image: image.id, root_pass: body.root_pass, user_data, lastBootedConfig: null };
  return { instance: { ...instance, ...fields }, config };
}
