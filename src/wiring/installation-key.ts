/**
 * The key with which the operator signs and verifies its records. The operator creates the Secret at the first start.
 */
import { randomBytes } from "node:crypto";
import { createKubeClient } from "../cluster/client.ts";
import { loadKubeConfig, namespaceOf } from "../cluster/credentials.ts";
import type { KubeConfigSource } from "../cluster/credentials.ts";
import { KubeError } from "../cluster/errors.ts";
import { secrets } from "../cluster/secrets.ts";
import { createTransport } from "../cluster/transport.ts";
import type { KubeClient, KubeObject } from "../cluster/types.ts";
import type { Log } from "../queue/log.ts";
import type { Clock } from "../queue/clock.ts";

export interface InstallationKey {
  bytes: Uint8Array;
  /** Creation time of the Secret, RFC 3339. Records on younger objects are signed with the key. */
  since: string | undefined;
}

export interface OpenedKey extends InstallationKey {
  secret: Place;
}

interface Place {
  namespace: string;
  name: string;
}

interface KeyOptions extends Place {
  kube: Pick<KubeClient, "get" | "create">;
  clock: Clock;
  log: Log;
  installationId: string | undefined;
}

type OpenOptions = Omit<KeyOptions, "kube" | "namespace"> & {
  kubeConfig: KubeConfigSource;
  /** Undefined: the namespace of the kubeconfig, or `default`; the same as for the Lease. */
  namespace: string | undefined;
};

/** Runs `readOrMakeKey` over a separate connection, and closes the connection. */
export async function openInstallationKey({ kubeConfig, namespace, ...rest }: OpenOptions): Promise<OpenedKey> {
  const transport = createTransport({ config: () => loadKubeConfig(kubeConfig), clock: rest.clock });
  try {
    const place = namespace ?? namespaceOf(loadKubeConfig(kubeConfig));
    const key = await readOrMakeKey({ ...rest, kube: createKubeClient(transport), namespace: place });
    return { ...key, secret: { namespace: place, name: rest.name } };
  } finally {
    await transport.close();
  }
}

/**
 * Reads the key. Creates the Secret if the Secret does not exist, and never changes the Secret: replicas and shards
 * that start at the same time use the key of the first. Retries without limit if the API server does not answer.
 *
 * @throws Error with one line about the problem and its cure: a missing permission, or a Secret without a valid key
 */
export async function readOrMakeKey(options: KeyOptions): Promise<InstallationKey> {
  const { clock, log } = options;
  for (let tried = 0; ; tried += 1) {
    try {
      const key = (await readKey(options)) ?? (await makeKey(options)) ?? (await readKey(options));
      if (key) return key;
    } catch (error) {
      if (!isPassing(error)) throw error;
      log.warn({ error, secret: named(options) }, "cannot read the installation key yet; retrying");
    }
    const delayMs = Math.min(firstDelayMs * 2 ** tried, longestDelayMs);
    await new Promise<void>((resolve) => void clock.schedule(delayMs, resolve));
  }
}

const firstDelayMs = 1_000;
const longestDelayMs = 30_000;
const keyBytes = 32;

/** Returns undefined if the Secret does not exist. */
async function readKey({ kube, namespace, name }: KeyOptions): Promise<InstallationKey | undefined> {
  const secret = await explained(
    kube.get(secrets, { namespace, name }),
    `the Secret ${namespace}/${name} cannot be read`,
    `Allow "get" of this Secret in the namespace ${namespace}`,
  );
  if (secret === undefined) return undefined;
  const { data, metadata } = secret as KubeObject & { data?: { key?: string } };
  const key = Buffer.from(data?.key ?? "", "base64");
  if (key.length >= keyBytes) return { bytes: key, since: metadata.creationTimestamp };
  throw new Error(
    `the Secret ${namespace}/${name} has ${key.length} bytes under "key", but needs at least ${keyBytes}. ` +
      "The operator does not start, because it could not verify its former signatures. " +
      "Restore the Secret from a backup. Without a backup, delete the Secret, and the operator creates a new key",
  );
}

/** Creates the Secret. Returns undefined if another process was faster. */
async function makeKey(options: KeyOptions): Promise<InstallationKey | undefined> {
  const { kube, log, namespace, name } = options;
  const key = randomBytes(keyBytes);
  let made: KubeObject;
  try {
    made = await explained(
      kube.create(secrets, secretOf(options, key)),
      `the Secret ${namespace}/${name} does not exist and cannot be created`,
      `Allow "create" of Secrets in the namespace ${namespace}, or create the Secret: ` +
        `kubectl -n ${namespace} create secret generic ${name} --from-literal=key=$(openssl rand -hex 32)`,
    );
  } catch (error) {
    if (error instanceof KubeError && error.alreadyExists) return undefined;
    throw error;
  }
  log.info({ secret: named(options) }, "created the installation key; back up the Secret together with the objects");
  return { bytes: key, since: made.metadata.creationTimestamp };
}

/** Returns the Secret. Omits `app.kubernetes.io/instance`: tools that prune by the label would delete the Secret. */
function secretOf({ namespace, name, installationId }: KeyOptions, key: Uint8Array): Record<string, unknown> {
  const labels = {
    "app.kubernetes.io/name": "cloud-platform-operator",
    "app.kubernetes.io/part-of": "cloud-platform-operator",
    "app.kubernetes.io/component": "installation-key",
    ...(installationId !== undefined && { "cloudplatform.dev/installation": installationId }),
  };
  const annotations = {
    "kubernetes.io/description":
      "cloud-platform-operator signs the annotation cloudplatform.dev/journal with this key. Back up the Secret together with the objects. With another key, the operator cannot verify its former signatures.",
  };
  const data = { key: Buffer.from(key).toString("base64") };
  const metadata = { namespace, name, labels, annotations };
  return { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", immutable: true, data };
}

/** Adds problem and cure to a permanent error. Rethrows other errors. */
async function explained<T>(call: Promise<T>, problem: string, cure: string): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof KubeError) || isPassing(error) || error.alreadyExists) throw error;
    throw new Error(`${problem}: ${error.message}. ${error.status === 403 ? cure : "Correct the cause"}`, {
      cause: error,
    });
  }
}

/** Returns true for a temporary error: no response, a rotated token, too many requests, or a fault of the server. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof KubeError)) return false;
  const { status } = error;
  return status === undefined || status >= 500 || [401, 408, 429].includes(status);
}

function named({ namespace, name }: Place): string {
  return `${namespace}/${name}`;
}
