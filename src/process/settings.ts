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
  kubeconfig: setting(
    "kubeconfig <path>",
    undefined,
    "kubeconfig file; without it the cluster this runs in",
    value.text,
  ),
  namespaces: many("namespace <name>", undefined, "namespace to watch; repeatable; none: all", value.kubeName),
  disabledKinds: many(
    "disabled-kind <kind>",
    undefined,
    "kind that is not managed, such as AccountAction; repeatable; its objects are neither watched nor changed",
    value.kindName,
  ),
  imageSources: many(
    "image-source <origin>",
    undefined,
    "origin that image data may be read from, such as https://images.example.org; repeatable; none: no origin is permitted",
    value.origin,
  ),
  endpoints: many(
    "endpoint <name=url>",
    undefined,
    "a cloud API by name; repeatable; `default` is used unless an account names another",
    value.endpoint,
  ),
  endpointCAs: many(
    "endpoint-ca <name=path>",
    undefined,
    "PEM file with the authorities to trust for that endpoint; repeatable",
    value.endpointFile,
  ),
  endpointLimits: many(
    "endpoint-limit <name=requests>",
    undefined,
    "limit of requests in two minutes for each account at that endpoint, if it is not 1600; repeatable",
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
      "hosts that are reached without the proxy, separated by commas; default: NO_PROXY",
      value.text,
    ),
    also: ["NO_PROXY", "no_proxy"],
  },
  brandWord: setting(
    "brand-word <word>",
    "compute",
    "the brand word of the cloud API, if it uses one in place of `compute`",
    value.word,
  ),
  installationId: setting(
    "installation-id <id>",
    undefined,
    "marks what this installation creates; default: from the UID of kube-system",
    value.kubeName,
  ),
  installationKeySecret: setting(
    "installation-key-secret <name>",
    "cloud-platform-operator-installation-key",
    "Secret beside the Lease with the key that signs what was created; created at the first start; part of a backup",
    value.objectName,
  ),
  workers: setting(
    "workers <n>",
    "16",
    "objects of one namespace and account handled at the same time",
    value.wholeNumber(1, 512),
  ),
  sweepSeconds: setting("sweep-seconds <n>", "60", "how often each list in use is read", value.wholeNumber(5, 3600)),
  secretAccess: setting(
    "secret-access <how>",
    "watch",
    "watch: Secrets and ConfigMaps are listed and watched, metadata alone. get: neither; those that objects name are read every --sweep-seconds",
    value.oneOf("watch", "get"),
  ),
  secretValueKib: setting(
    "secret-value-kib <n>",
    "64",
    "KiB that one value of a Secret or a ConfigMap may have, such as user data; the content of a BucketObject may have 1 MiB",
    value.wholeNumber(1, 1024),
  ),
  fastSweepSeconds: setting(
    "fast-sweep-seconds <n>",
    "3",
    "how often a list is read while something in it is expected to change; what lasts long is read every 15",
    value.wholeNumber(1, 60),
  ),
  slowPassMinutes: setting(
    "slow-pass-minutes <n>",
    "10",
    "how often everything is reconciled, changed or not",
    value.wholeNumber(1, 1440),
  ),
  settleSeconds: setting(
    "settle-seconds <n>",
    "30",
    "how long to search for what a create request without a response created",
    value.wholeNumber(0, 3600),
  ),
  settleBillableSeconds: setting(
    "settle-billable-seconds <n>",
    "600",
    "how long to search where a second cloud object would cost money",
    value.wholeNumber(0, 86_400),
  ),
  leaderElection: setting("leader-election <on|off>", "on", "off only if a second replica never runs", value.onOff),
  leaseName: setting(
    "lease-name <name>",
    "cloud-platform-operator",
    "name of the Lease; one for each shard",
    value.kubeName,
  ),
  leaseSeconds: setting(
    "lease-seconds <n>",
    "15",
    "how long another pod waits for a pod that has failed; the Lease is renewed every 2 s, of 30 every 5",
    value.wholeNumber(15, 30),
  ),
  leaseNamespace: setting(
    "lease-namespace <name>",
    undefined,
    "namespace of the Lease; default: the one this runs in",
    value.kubeName,
  ),
  roleName: setting(
    "role-name <name>",
    undefined,
    "Role and RoleBinding that give the permissions in each namespace; they are kept while objects there need them",
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
    "serve metrics over TLS, and only to tokens whose user may get the nonResourceURL /metrics",
    value.onOff,
  ),
  metricsCertificate: setting(
    "metrics-certificate <folder>",
    undefined,
    "folder with tls.crt and tls.key for it, read again when they change; default: a self-signed certificate, replaced every 30 days",
    value.text,
  ),
  healthAddress: setting(
    "health-address <host:port>",
    "127.0.0.1:8081",
    "where /healthz and /readyz are; likewise",
    value.address,
  ),
  logLevel: setting(
    "log-level <level>",
    "info",
    "debug, info, warn or error",
    value.oneOf("debug", "info", "warn", "error"),
  ),
  logFormat: setting("log-format <format>", "json", "json or text", value.oneOf("json", "text")),
  allowAccountActions: setting(
    "allow-account-actions <on|off>",
    "off",
    "whether AccountAction objects may run",
    value.onOff,
  ),
  catalogs: setting(
    "catalogs <on|off>",
    "on",
    "whether regions, types, kernels and other catalogs of the cloud are shown as objects; never with --namespace",
    value.onOff,
  ),
  pageSize: setting("page-size <n>", "500", "rows asked for in one page of a list", value.wholeNumber(25, 500)),
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
