import * as z from "zod";
import { section } from "./value-types.ts";

const wholeNumber = (min: number, max: number, doc: string) =>
  z.number().int().min(min).max(max).optional().describe(doc);
const oneOf = (values: [string, ...string[]], doc: string) => z.enum(values).optional().describe(doc);
const flag = (doc: string) => z.boolean().optional().describe(doc);
const name = (doc: string) =>
  z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/)
    .optional()
    .describe(doc);

/** Settings of the operator that no other value stands for; each becomes the flag of its name. A test holds them complete. */
export const settings = section("Settings of the operator. What is not set has the operator's own default.", {
  workers: wholeNumber(1, 512, "Objects of one namespace and account handled at the same time; 16."),
  sweepSeconds: wholeNumber(5, 3600, "How often each list in use is read; 60."),
  secretAccess: oneOf(
    ["watch", "get"],
    "How Secrets and ConfigMaps are followed; `watch`. With `get` the operator may neither list nor watch them, and reads those that objects name every `sweepSeconds`.",
  ),
  secretValueKib: wholeNumber(
    1,
    1024,
    "KiB that one value of a Secret or a ConfigMap may have, such as user data; 64. The content of a BucketObject may have 1 MiB.",
  ),
  fastSweepSeconds: wholeNumber(
    1,
    60,
    "The same while something in it is expected to change; 3. What lasts long is read every 15.",
  ),
  slowPassMinutes: wholeNumber(1, 1440, "How often everything is reconciled, changed or not; 10."),
  settleSeconds: wholeNumber(0, 3600, "How long to search for what a create request without a response created; 30."),
  settleBillableSeconds: wholeNumber(0, 86_400, "The same for what costs money; 600."),
  pageSize: wholeNumber(25, 500, "Rows asked for in one page of a list; 500."),
  proxy: z
    .string()
    .regex(/^https?:\/\//)
    .optional()
    .describe(
      "Proxy through which https endpoints are reached. One with a password belongs into a Secret, as `HTTPS_PROXY` by `extraEnv`; that variable, too, is read.",
    ),
  proxyExcept: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Hosts, with commas, that are reached without it, such as `.svc,10.0.0.1`. The variable `NO_PROXY` is read, too.",
    ),
  logLevel: oneOf(["debug", "info", "warn", "error"], "What is logged: debug, info, warn or error; info."),
  logFormat: oneOf(["json", "text"], "How it is logged: json or text; json."),
  allowAccountActions: flag("Whether AccountAction objects may run; false."),
  leaderElection: flag("False only where never a second pod runs; true."),
  leaseName: name("Name of the Lease; the full name of the release."),
  leaseSeconds: wholeNumber(
    15,
    30,
    "How long another pod waits for one that is gone; 15. The Lease is renewed every 2 s, of 30 every 5.",
  ),
  leaseNamespace: name("Namespace of the Lease, in which the operator then gets its Role for it; that of the release."),
});
