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

/** Settings of the operator without a separate value. Each setting becomes the flag of its name. A test checks the completeness. */
export const settings = section("Settings of the operator. An absent setting has the default of the operator.", {
  workers: wholeNumber(1, 512, "Number of workers for each namespace and account. Defaults to 16."),
  pollSeconds: wholeNumber(
    5,
    3600,
    "Interval between reads of each list in use, in seconds. Defaults to 60. A longer interval delays the detection of drift.",
  ),
  secretAccess: oneOf(
    ["watch", "get"],
    "Access to Secrets and ConfigMaps. Defaults to `watch`. With `get`, the operator can neither list nor watch, and reads referenced Secrets and ConfigMaps every `pollSeconds`.",
  ),
  secretValueKib: wholeNumber(
    1,
    1024,
    "Maximum size of a value in a Secret or ConfigMap, such as user data, in KiB. Defaults to 64. The content of a BucketObject can have 1 MiB.",
  ),
  fastPollSeconds: wholeNumber(
    1,
    60,
    "Interval between reads of a list with an expected change, in seconds. Defaults to 3. For long operations, the interval grows to 15.",
  ),
  resyncMinutes: wholeNumber(
    1,
    1440,
    "Interval between reconciles of every object without a change, in minutes. Defaults to 10.",
  ),
  settleSeconds: wholeNumber(
    0,
    3600,
    "Time to search for the cloud object of a create request without a response, in seconds. Defaults to 30.",
  ),
  settleBillableSeconds: wholeNumber(
    0,
    86_400,
    "Search time for cloud objects that cost money, in seconds. Defaults to 600.",
  ),
  pageSize: wholeNumber(25, 500, "Number of rows in a page of a list. Defaults to 500."),
  proxy: z
    .string()
    .regex(/^https?:\/\//)
    .optional()
    .describe(
      "Proxy for https endpoints. If the URL of the proxy contains a password, store the URL in a Secret, and set the variable `HTTPS_PROXY` with `extraEnv`.",
    ),
  proxyExcept: z
    .string()
    .min(1)
    .optional()
    .describe(
      "Comma-separated hosts without proxy, such as `.svc,10.0.0.1`. The operator also reads the variable `NO_PROXY`.",
    ),
  logLevel: oneOf(["debug", "info", "warn", "error"], "Log level: debug, info, warn or error. Defaults to info."),
  logFormat: oneOf(["json", "text"], "Log format: json or text. Defaults to json."),
  allowAccountActions: flag("Whether AccountAction objects can run. Defaults to false."),
  leaderElection: flag("Leader election with a Lease. Defaults to true. Set to false only if a second pod never runs."),
  leaseName: name("Name of the Lease. Defaults to the full name of the release."),
  leaseSeconds: wholeNumber(
    15,
    30,
    "Time until a standby pod takes over from a failed leader, in seconds. Defaults to 15. The leader renews the Lease every 2 s, or every 5 s with 30.",
  ),
  leaseNamespace: name(
    "Namespace of the Lease. Defaults to the namespace of the release. The chart creates the Role for the Lease in the namespace.",
  ),
});
