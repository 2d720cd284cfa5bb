import { accountOperations } from "./collections/account/account.ts";
import { eventOperations } from "./collections/account/events.ts";
import { regionOperations } from "./collections/catalog/regions.ts";
import { computeTypeOperations, kernelOperations } from "./collections/compute/catalogs.ts";
import { instanceOperations } from "./collections/compute/instances.ts";
import { powerOperations } from "./collections/compute/power.ts";
import { imageReadOperations } from "./collections/images/images.ts";
import { grantOperations } from "./collections/profile/grants.ts";
import { profileOperations } from "./collections/profile/profile.ts";
import { sshKeyOperations } from "./collections/profile/ssh-keys.ts";
import { jobKindOf } from "./compute/instance-actions.ts";
import { LIFECYCLE_ACTIONS } from "./compute/lifecycle.ts";
import type { Operation } from "./operation.ts";
import type { JobKind } from "./world.ts";

/** Every operation of the API, one line a collection. */
export const OPERATIONS: readonly Operation[] = [
  ...accountOperations,
  ...computeTypeOperations,
  ...eventOperations,
  ...grantOperations,
  ...imageReadOperations,
  ...instanceOperations,
  ...kernelOperations,
  ...powerOperations,
  ...profileOperations,
  ...regionOperations,
  ...sshKeyOperations,
];

/** Every kind of job that may be found in the store. */
export const JOB_KINDS: readonly JobKind[] = LIFECYCLE_ACTIONS.map(jobKindOf);
