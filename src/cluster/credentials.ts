import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { RequestOptions } from "node:https";
import { dirname, resolve } from "node:path";

import { KubeConfig } from "@kubernetes/client-node";
import type { buildConnector } from "undici";
import { parse } from "yaml";
import type { Clock } from "../queue/clock.ts";
import { KubeError } from "./errors.ts";

export type KubeConfigSource = { file: string } | { text: string } | "in-cluster" | "default";

/** Server, credentials and TLS options for one request. */
export interface Access {
  server: string;
  headers: Record<string, string>;
  tls: buildConnector.BuildOptions;
  proxy: string | undefined;
  /** Requests with equal fingerprints may share connections. */
  fingerprint: string;
}

export interface Credentials {
  /** Returns the access. Reads files again every five seconds at most, to notice a rotated certificate, CA or token. */
  current(): Promise<Access>;
  /** Discards cached credentials after a 401. Returns true if the next credentials may differ. */
  reject(access: Access): Promise<boolean>;
}

/**
 * Reads a kubeconfig. Relative paths are relative to the file. `default` searches like kubectl, then in the cluster.
 * `context`: default is the current context of the file.
 *
 * @throws Error if no kubeconfig exists, or the kubeconfig has no such context, or names no server
 */
export function loadKubeConfig(source: KubeConfigSource, context?: string): KubeConfig {
  const config = new KubeConfig();
  read(config, source);
  if (context !== undefined) {
    if (config.getContextObject(context) === null) throw new Error(`it has no context ${context}`);
    config.setCurrentContext(context);
  }
  const server = config.getCurrentCluster()?.server;
  if (server === undefined || !URL.canParse(server))
    throw new Error("its current context names no cluster with a server");
  return config;
}

/** Returns the namespace of the current context; in a pod, the namespace of the pod; otherwise `default`. */
export function namespaceOf(config: KubeConfig): string {
  return config.getContextObject(config.getCurrentContext())?.namespace ?? "default";
}

const podToken = "/var/run/secrets/kubernetes.io/serviceaccount/token";

function read(config: KubeConfig, source: KubeConfigSource): void {
  if (source === "in-cluster" && !existsSync(podToken))
    throw new Error("not given, and the operator does not run in a pod (no service account token is mounted)");
  if (source === "in-cluster") config.loadFromCluster();
  else if (source === "default") config.loadFromDefault();
  else if ("file" in source) {
    config.loadFromFile(source.file);
    addTokenFiles(config, readFileSync(source.file, "utf8"), dirname(source.file));
  } else {
    config.loadFromString(source.text);
    addTokenFiles(config, source.text, "");
  }
}

/** Adds the `tokenFile` of users. client-node reads a token file only through its `tokenFile` provider. */
function addTokenFiles(config: KubeConfig, text: string, folder: string): void {
  const { users } = parse(text) as { users?: { name: string; user?: { tokenFile?: string } }[] };
  for (const { name, user } of users ?? []) {
    const index = config.users.findIndex((known) => known.name === name);
    const known = config.users[index];
    if (user?.tokenFile === undefined || known === undefined) continue;
    const tokenFile = resolve(folder, user.tokenFile);
    config.users[index] = { ...known, authProvider: { name: "tokenFile", config: { tokenFile } } };
  }
}

const rereadMs = 5_000;

/** Supports each method of client-node: certificates, tokens, token files, exec, OIDC, basic. */
export function createCredentials(load: () => KubeConfig, clock: Clock): Credentials {
  let config = load();
  let kept: { at: number; access: Promise<Access> } | undefined;

  function current(): Promise<Access> {
    if (kept !== undefined && clock.now() - kept.at < rereadMs) return kept.access;
    const access = readAccess(config);
    const entry = { at: clock.now(), access };
    kept = entry;
    access.catch(() => {
      if (kept === entry) kept = undefined;
    });
    return access;
  }

  return {
    current,
    async reject(access) {
      if (kept === undefined || (await kept.access).fingerprint === access.fingerprint) {
        config = load();
        kept = undefined;
      }
      return (await current()).fingerprint !== access.fingerprint;
    },
  };
}

async function readAccess(config: KubeConfig): Promise<Access> {
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new KubeError("the kubeconfig names no current cluster", { sent: false });
  const options: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
  } catch (cause) {
    throw new KubeError("the cluster credentials could not be read", {
      reason: "ConnectionFailed",
      sent: false,
      cause,
    });
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = String(value).trim();
  if (options.auth) headers["authorization"] = `Basic ${Buffer.from(options.auth).toString("base64")}`;
  const { ca, cert, key, pfx, passphrase, servername, rejectUnauthorized } = options;
  const tls = withoutUndefined({
    ca,
    cert,
    key,
    pfx,
    passphrase,
    servername,
    rejectUnauthorized,
  }) as buildConnector.BuildOptions;
  const access = { server: cluster.server, headers, tls, proxy: cluster.proxyUrl };
  return { ...access, fingerprint: fingerprintOf(access) };
}

function withoutUndefined(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined && value !== null));
}

function fingerprintOf(access: Omit<Access, "fingerprint">): string {
  return createHash("sha256").update(JSON.stringify(access)).digest("base64");
}
