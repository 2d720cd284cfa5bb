import { randomInt } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Binaries } from "../control-plane/versions.ts";
import { auditPolicy } from "./audit-policy.ts";
import type { Credentials } from "./credentials.ts";
import type { Guard } from "./guarded.ts";
import { startProcess } from "./process.ts";
import type { Running } from "./process.ts";

export interface Setting {
  binaries: Binaries;
  folder: string;
  guard: Guard;
  credentials: Credentials;
}

/** etcd on a free loopback port; data in the folder, without fsync since it is thrown away. */
export async function startEtcd(
  { binaries, folder, guard }: Setting,
  port: number,
): Promise<Running & { url: string; dataFolder: string }> {
  const url = `http://127.0.0.1:${port}`;
  const dataFolder = join(folder, "etcd");
  const args = [
    `--data-dir=${dataFolder}`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    "--listen-peer-urls=http://localhost:0",
    "--unsafe-no-fsync",
    "--log-level=warn",
  ];
  const ready = async (): Promise<boolean> => (await fetch(`${url}/health`)).ok;
  return { ...(await startProcess({ name: "etcd", command: binaries.etcd, args, guard, ready })), url, dataFolder };
}

/** kube-apiserver with real TLS, client certificates and RBAC; the same port and files make the same server again. */
export function startApiServer(
  { binaries, folder, guard, credentials }: Setting,
  options: { port: number; etcd: string; auditLog?: string },
): Promise<Running> {
  const url = `https://127.0.0.1:${options.port}`;
  const args = [
    "--advertise-address=127.0.0.1",
    "--bind-address=127.0.0.1",
    `--secure-port=${options.port}`,
    `--etcd-servers=${options.etcd}`,
    `--cert-dir=${folder}`,
    `--tls-cert-file=${credentials.servingCert}`,
    `--tls-private-key-file=${credentials.servingKey}`,
    `--client-ca-file=${credentials.caCert}`,
    `--service-account-issuer=${url}/`,
    `--service-account-key-file=${credentials.serviceAccountPublicKey}`,
    `--service-account-signing-key-file=${credentials.serviceAccountPrivateKey}`,
    "--authorization-mode=RBAC",
    "--service-cluster-ip-range=10.0.0.0/24",
    "--disable-admission-plugins=ServiceAccount",
    ...(options.auditLog === undefined ? [] : auditFlags(folder, options.auditLog)),
  ];
  const ca = readFileSync(credentials.caCert, "utf8");
  const ready = (): Promise<boolean> => answersOk(`${url}/readyz`, ca);
  return startProcess({ name: "kube-apiserver", command: binaries["kube-apiserver"], args, guard, ready });
}

/** The controllers that tests and demo rely on: namespaces end, owned objects go, service accounts exist. */
export async function startControllerManager(setting: Setting, server: string): Promise<Running> {
  const { binaries, folder, guard, credentials } = setting;
  const kubeconfig = join(folder, "controller-manager.kubeconfig");
  const user = "system:kube-controller-manager";
  writeFileSync(kubeconfig, await credentials.kubeconfig(server, user, ["system:masters"]), { mode: 0o600 });
  const args = [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${controllers.join(",")}`,
    "--leader-elect=false",
    "--secure-port=0",
    `--service-account-private-key-file=${credentials.serviceAccountPrivateKey}`,
    `--root-ca-file=${credentials.caCert}`,
  ];
  const ready = (output: string): boolean => /Caches are synced|Started controller/i.test(output);
  const name = "kube-controller-manager";
  return startProcess({ name, command: binaries[name], args, guard, ready });
}

const controllers = [
  "namespace-controller",
  "garbage-collector-controller",
  "serviceaccount-controller",
  "clusterrole-aggregation-controller",
  "root-ca-certificate-publisher-controller",
  "validatingadmissionpolicy-status-controller",
];

function auditFlags(folder: string, log: string): string[] {
  const policy = join(folder, "audit-policy.json");
  writeFileSync(policy, JSON.stringify(auditPolicy));
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${log}`, "--audit-log-maxsize=4096"];
}

/** Starts a server on a free port, and on another one where somebody else has taken that meanwhile. */
export async function onFreePort<T>(start: (port: number) => Promise<T>, tries = 5): Promise<T> {
  try {
    return await start(await freePort());
  } catch (error) {
    if (tries === 1 || !String(error).includes("address already in use")) throw error;
    return onFreePort(start, tries - 1);
  }
}

/** Below the ports that Linux, macOS and Windows give to connections: one of these could take the port at once. */
const [lowestPort, highestPort] = [16_384, 32_767];

/** A loopback port that was free a moment ago, and that no connection takes. */
export async function freePort(): Promise<number> {
  const port = randomInt(lowestPort, highestPort + 1);
  const server = createServer();
  const taken = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once("error", resolve);
    server.listen(port, "127.0.0.1", () => resolve(undefined));
  });
  await new Promise((resolve) => server.close(resolve));
  if (taken && taken.code !== "EADDRINUSE") throw taken;
  return taken ? freePort() : port;
}

function answersOk(url: string, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const call = request(url, { ca, agent: false, timeout: 2000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    call.once("timeout", () => call.destroy());
    call.once("error", () => resolve(false));
    call.end();
  });
}
