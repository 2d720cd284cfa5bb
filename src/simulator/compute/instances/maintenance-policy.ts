import * as z from "zod";
import { optional } from "../../server/wire.ts";

/** Action of the service if the host needs maintenance. A newer field of the service. */
export const maintenancePolicy = optional(z.enum(["compute/migrate", "compute/power_off_on"]));
