/** Runs the operator as a process, or the check before an uninstallation (`guard`). */
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { loadKubeConfig } from "./cluster/credentials.ts";
import type { KubeConfigSource } from "./cluster/credentials.ts";
import { group } from "./core/kind/resource.ts";
import { cloudAccount } from "./kinds/account/cloud-account.ts";
import { kinds, mirrors } from "./kinds/registry.ts";
import { startOperator } from "./operator.ts";
import type { Operator } from "./operator.ts";
import { certificateIn } from "./process/certificate.ts";
import { systemClock } from "./process/clock.ts";
import { orderOfProcess, programVersion, using } from "./process/configuration.ts";
import type { GuardConfiguration } from "./process/configuration.ts";
import { startHttp } from "./process/http.ts";
import type { SecureMetrics } from "./process/http.ts";
import { startLeaseThread } from "./process/lease-thread.ts";
import { createLogger } from "./process/logger.ts";
import { createLooks } from "./process/looks.ts";
import { createMetrics } from "./process/metrics.ts";
import { collectWhenQuiet } from "./process/quiet-collection.ts";
import { ownCertificate } from "./process/self-signed.ts";
import { createShutdown } from "./process/shutdown.ts";
import { startTracing } from "./process/tracing.ts";
import { enabledKinds } from "./wiring/enabled.ts";
import { mostReconciles } from "./wiring/engine.ts";
import { objection } from "./wiring/guard.ts";
import { openInstallationKey } from "./wiring/installation-key.ts";
import { openReaderAccess } from "./wiring/reader-access.ts";

const order = orderOfProcess();
const settings = order.command === "guard" ? await guard(order.settings) : order.settings;
const looks = createLooks(group);
const log = createLogger({ level: settings.logLevel, format: settings.logFormat, context: () => looks.fields() });
const shutdown = createShutdown({ clock: systemClock, log });
const kubeConfig = kubeConfigOf(settings);

const server = await using("kubeconfig", () => loadKubeConfig(kubeConfig).getCurrentCluster()?.server ?? "");
await using("disabledKinds", () => enabledKinds(settings.disabledKinds));
const authorities = await using("endpointCAs", () => new Map(settings.endpointCAs.map(readAuthorities)));

const apiServer = URL.parse(server)?.host ?? server;
const tracing = await startTracing({ looks, clock: systemClock, log, apiServer, version: programVersion });
if (tracing) shutdown.add("traces", () => tracing.close());

const running: { operator?: Operator; leading: boolean } = { leading: false };

const metrics = createMetrics({
  kinds: [...kinds, ...mirrors, cloudAccount].map(({ kind }) => kind),
  apiServer,
  version: programVersion,
  sources: {
    // Before this process leads, waiting keys do not count as late.
    queue: { keys: () => (running.leading ? (running.operator?.queue.keys() ?? []) : []) },
    workers: Math.max(mostReconciles, settings.workers),
    objects: async () =>
      running.operator?.objects() ?? {
        conditions: [],
        notReady: [],
        uncertainCreates: [],
        leftToOthers: [],
        monthlyCosts: [],
      },
    snapshots: () => running.operator?.snapshots() ?? [],
    guards: () => running.operator?.guards() ?? [],
    feeds: () => running.operator?.feeds() ?? [],
    rateLimits: () => running.operator?.rateLimits() ?? [],
  },
});
metrics.leading(settings.leaseName, false);

const secureMetrics = settings.metricsSecure ? await using("metricsCertificate", openSecureMetrics) : undefined;

const servers = await using("metricsAddress", () =>
  startHttp({
    metricsAddress: settings.metricsAddress,
    healthAddress: settings.healthAddress,
    metrics,
    secureMetrics,
    live: { ping: () => !shutdown.signal.aborted },
    ready: {
      leading: () => running.leading || settings.leaderElection,
      caches: () => running.operator?.synced() ?? false,
    },
  }),
);
shutdown.add("http", () => servers.close());

const installationKey = await using("installationKeySecret", () =>
  openInstallationKey({
    kubeConfig,
    clock: systemClock,
    log,
    namespace: settings.leaseNamespace,
    name: settings.installationKeySecret,
    installationId: settings.installationId,
  }),
);

const operator = await startOperator({
  kubeConfig,
  clock: systemClock,
  log,
  namespaces: settings.namespaces.length > 0 ? settings.namespaces : undefined,
  endpoints: settings.endpoints.map((endpoint) => ({
    ...endpoint,
    ...authoritiesOf(endpoint.name),
    requestsInTwoMinutes: settings.endpointLimits.findLast(({ name }) => name === endpoint.name)?.requests,
  })),
  brandWord: settings.brandWord,
  version: programVersion,
  proxy: settings.proxy === undefined ? undefined : { url: settings.proxy, except: settings.proxyExcept },
  installationId: settings.installationId,
  installationKey: installationKey.bytes,
  installationKeySince: installationKey.since,
  installationKeySecret: installationKey.secret,
  workers: settings.workers,
  disabledKinds: settings.disabledKinds,
  allowAccountActions: settings.allowAccountActions,
  readOnly: settings.readOnly,
  protectByDefault: settings.protectByDefault,
  imageSources: settings.imageSources,
  secretValueBytes: settings.secretValueKib * 1024,
  catalogs: settings.catalogs ? { everyMs: 3_600_000 } : undefined,
  secretsByGet:
    settings.secretAccess === "get"
      ? { everyMs: settings.pollSeconds * 1000, forgetMs: 3 * settings.resyncMinutes * 60_000 }
      : undefined,
  pollMs: settings.pollSeconds * 1000,
  fastPollMs: settings.fastPollSeconds * 1000,
  resyncMs: settings.resyncMinutes * 60_000,
  feedMs: 10_000,
  pageSize: settings.pageSize,
  settle: { freeMs: settings.settleSeconds * 1000, billableMs: settings.settleBillableSeconds * 1000 },
  leaderElection: settings.leaderElection
    ? { namespace: settings.leaseNamespace, name: settings.leaseName, leaseSeconds: settings.leaseSeconds }
    : undefined,
  openLeadership: (lease) =>
    startLeaseThread({
      program: new URL(import.meta.url.endsWith(".ts") ? "./lease-worker.ts" : "./lease.mjs", import.meta.url),
      kubeConfig,
      lease,
      clock: systemClock,
      log,
      onRequest: (report) => metrics.kubeRequest(report),
    }),
  roleName: settings.roleName,
  onRequest(measure) {
    metrics.cloudRequest(measure);
    tracing?.cloudRequest(measure);
  },
  onHeldBack: (operation) => metrics.heldBack(operation),
  measures: {
    ...metrics,
    look: (key, run) => looks.run(key, run),
    ...tracing,
    kubeRequest(report) {
      metrics.kubeRequest(report);
      tracing?.kubeRequest(report);
    },
  },
});
running.operator = operator;
shutdown.add("operator", () => operator.stop());
const endAsLost = (): void => shutdown.begin("the lease is lost", 1);
if (operator.lost.aborted) endAsLost();
else operator.lost.addEventListener("abort", endAsLost);

if (settings.readOnly) log.info({}, "read-only: no request that changes the cloud is sent");
log.info(
  { endpoints: settings.endpoints.map(({ name, url }) => `${name}=${url}`) },
  "waiting for caches and leadership",
);
await operator.ready;
running.leading = true;
metrics.leading(settings.leaseName, true);
tracing?.begin();
log.info({}, "leading");
const { gc } = globalThis;
// Other collections keep empty pages.
const collect = gc && (() => gc({ flavor: "last-resort" }));
shutdown.add("quiet collections", collectWhenQuiet({ clock: systemClock, collect }));

function kubeConfigOf({ kubeconfig }: GuardConfiguration): KubeConfigSource {
  return kubeconfig === undefined ? "in-cluster" : { file: kubeconfig };
}

/** Prints the objects that prevent an uninstallation. Exits with code 1 if such objects exist. */
async function guard(given: GuardConfiguration): Promise<never> {
  const what = { kubeConfig: kubeConfigOf(given), namespaces: given.namespaces, clock: systemClock };
  const found = await using("kubeconfig", () => objection(what));
  process.stdout.write(`${found ?? "no object needs the operator"}\n`);
  process.exit(found === undefined ? 0 : 1);
}

function openSecureMetrics(): SecureMetrics {
  const { metricsCertificate: folder } = settings;
  const own = () => ownCertificate(["localhost", hostname(), "127.0.0.1"], () => systemClock.date());
  const certificate = folder === undefined ? own() : certificateIn(folder, log);
  const readers = openReaderAccess({ kubeConfig, clock: systemClock });
  shutdown.add("metrics readers", () => readers.close());
  return { certificate, access: readers.access };
}

function authoritiesOf(name: string): { ca?: string } {
  const ca = authorities.get(name);
  return ca === undefined ? {} : { ca };
}

function readAuthorities({ name, path }: { name: string; path: string }): [string, string] {
  const text = readFileSync(path, "utf8");
  if (!text.includes("-----BEGIN CERTIFICATE-----")) throw new Error(`${path} holds no certificate in PEM form`);
  return [name, text];
}
