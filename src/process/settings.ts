import * as value from "./values.ts";

/** One setting. `many`: the flag is repeatable, and the variable is a list with commas. */
export interface Setting<T> {
  flag: string;
  variable: string;
  /** Default as a user would write the value; undefined without a default. */
  fallback: string | undefined;
  doc: string;
  parse: (raw: string) => T;
  many?: true;
  /** Variables of other programs with the same meaning, read if `variable` is not set. */
  also?: readonly string[];
}

/** Every setting. The command line, the environment, `--help` and the defaults follow from this table. */
export const settings = {
  kubeconfig: setting("kubeconfig <path>", undefined, "kubeconfig file; default: the cluster of the pod", value.text),
  namespaces: many(
    "namespace <name>",
    undefined,
    "namespace to watch; repeatable; default: all namespaces",
    value.kubeName,
  ),
  disabledKinds: many(
    "disabled-kind <kind>",
    undefined,
    "kind that the operator does not manage, such as AccountAction; repeatable",
    value.kindName,
  ),
  imageSources: many(
    "image-source <origin>",
    undefined,
    "origin from which the operator may read image data, such as https://images.example.org; repeatable; default: no origin",
    value.origin,
  ),
  endpoints: many(
    "endpoint <name=url>",
    undefined,
    "name and URL of a cloud API; repeatable; an account without an endpoint uses `default`",
    value.endpoint,
  ),
  endpointCAs: many(
    "endpoint-ca <name=path>",
    undefined,
    "PEM file with certificate authorities to trust for an endpoint; repeatable",
    value.endpointFile,
  ),
  endpointLimits: many(
    "endpoint-limit <name=requests>",
    undefined,
    "requests in two minutes for each account of an endpoint; repeatable; default: 1600",
    value.endpointLimit,
  ),
  proxy: {
    ...setting("proxy <url>", undefined, "proxy for https endpoints; default: HTTPS_PROXY", value.proxy),
    also: ["HTTPS_PROXY", "https_proxy"],
  },
  proxyExcept: {
    ...setting(
      "proxy-except <hosts>",
      undefined,
      "hosts to reach without the proxy, separated by commas; default: NO_PROXY",
      value.text,
    ),
    also: ["NO_PROXY", "no_proxy"],
  },
  brandWord: setting(
    "brand-word <word>",
    "compute",
    "brand word that the cloud API uses instead of `compute`",
    value.word,
  ),
  readOnly: setting(
    "read-only <on|off>",
    "off",
    "send no request that changes the cloud; show the plan of each object",
    value.onOff,
  ),
  protectByDefault: setting(
    "protect-by-default <on|off>",
    "off",
    "protect objects with data in the cloud unless spec.management.protect is false; needs the admission policy protect-by-default.yaml",
    value.onOff,
  ),
  installationId: setting(
    "installation-id <id>",
    undefined,
    "marks the cloud objects of this installation; default: from the UID of kube-system",
    value.kubeName,
  ),
  installationKeySecret: setting(
    "installation-key-secret <name>",
    "cloud-platform-operator-installation-key",
    "Secret with the signing key, in the namespace of the Lease; created at the first start; include the Secret in backups",
    value.objectName,
  ),
  workers: setting(
    "workers <n>",
    "16",
    "most objects of one namespace and account that the operator reconciles at the same time",
    value.wholeNumber(1, 512),
  ),
  pollSeconds: setting(
    "poll-seconds <n>",
    "60",
    "interval between reads of each list in use",
    value.wholeNumber(5, 3600),
  ),
  secretAccess: setting(
    "secret-access <how>",
    "watch",
    "watch: list and watch the metadata of Secrets and ConfigMaps; get: read only referenced Secrets and ConfigMaps, every --poll-seconds",
    value.oneOf("watch", "get"),
  ),
  secretValueKib: setting(
    "secret-value-kib <n>",
    "64",
    "largest value, in KiB, that the operator reads from a Secret or a ConfigMap, for example user data; the limit for a BucketObject is 1 MiB",
    value.wholeNumber(1, 1024),
  ),
  fastPollSeconds: setting(
    "fast-poll-seconds <n>",
    "3",
    "interval between reads of a list with an expected change; grows to 15 for long operations",
    value.wholeNumber(1, 60),
  ),
  resyncMinutes: setting(
    "resync-minutes <n>",
    "10",
    "interval between reconciles of each object, changed or not",
    value.wholeNumber(1, 1440),
  ),
  settleSeconds: setting(
    "settle-seconds <n>",
    "30",
    "how long to search for the cloud object of a create request without a response",
    value.wholeNumber(0, 3600),
  ),
  settleBillableSeconds: setting(
    "settle-billable-seconds <n>",
    "600",
    "how long to search if a second cloud object would cost money",
    value.wholeNumber(0, 86_400),
  ),
  leaderElection: setting(
    "leader-election <on|off>",
    "on",
    "leader election; off only if a second replica never runs",
    value.onOff,
  ),
  leaseName: setting(
    "lease-name <name>",
    "cloud-platform-operator",
    "name of the Lease; one for each shard",
    value.kubeName,
  ),
  leaseSeconds: setting(
    "lease-seconds <n>",
    "15",
    "how long a standby pod waits for a failed leader; the leader renews the Lease every 2 s, or every 5 s with 30",
    value.wholeNumber(15, 30),
  ),
  leaseNamespace: setting(
    "lease-namespace <name>",
    undefined,
    "namespace of the Lease; default: the namespace of the pod or of the kubeconfig",
    value.kubeName,
  ),
  roleName: setting(
    "role-name <name>",
    undefined,
    "Role and RoleBinding with the permissions in each namespace; the operator keeps both while objects need the permissions",
    value.kubeName,
  ),
  metricsAddress: setting(
    "metrics-address <host:port>",
    "127.0.0.1:8080",
    "address of /metrics; :port for all interfaces, 0 for off",
    value.address,
  ),
  metricsSecure: setting(
    "metrics-secure <on|off>",
    "off",
    "serve metrics over TLS, only to users who may get the nonResourceURL /metrics",
    value.onOff,
  ),
  metricsCertificate: setting(
    "metrics-certificate <folder>",
    undefined,
    "folder with tls.crt and tls.key for metrics, read again after a change; default: a self-signed certificate, replaced every 30 days",
    value.text,
  ),
  healthAddress: setting(
    "health-address <host:port>",
    "127.0.0.1:8081",
    "address of /healthz and /readyz; :port for all interfaces, 0 for off",
    value.address,
  ),
  logLevel: setting(
    "log-level <level>",
    "info",
    "log level: debug, info, warn or error",
    value.oneOf("debug", "info", "warn", "error"),
  ),
  logFormat: setting("log-format <format>", "json", "log format: json or text", value.oneOf("json", "text")),
  allowAccountActions: setting(
    "allow-account-actions <on|off>",
    "off",
    "permit AccountAction objects to run",
    value.onOff,
  ),
  catalogs: setting(
    "catalogs <on|off>",
    "on",
    "write regions, types, kernels and other catalogs of the cloud as objects; never with --namespace",
    value.onOff,
  ),
  pageSize: setting("page-size <n>", "500", "rows in one page of a list", value.wholeNumber(25, 500)),
};

function setting<T, const F extends string | undefined>(
  flag: string,
  fallback: F,
  doc: string,
  parse: (raw: string) => T,
): Setting<T> & { fallback: F } {
  const name = flag.split(" ")[0] ?? "";
  const variable = `CLOUD_PLATFORM_${name.toUpperCase().replaceAll("-", "_")}`;
  return { flag: `--${flag}`, variable, fallback, doc, parse };
}

function many<T>(
  flag: string,
  fallback: string | undefined,
  doc: string,
  parse: (raw: string) => T,
): Setting<T> & { many: true } {
  return { ...setting(flag, fallback, doc, parse), many: true };
}
