import * as z from "zod";
import { optional } from "../../server/wire.ts";

/** What the service does with an instance when its host needs maintenance; younger than the interface. */
export const maintenancePolicy = optional(z.enum(["compute/migrate", "compute/power_off_on"]));
