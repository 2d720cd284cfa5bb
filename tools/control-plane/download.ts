import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { EnvHttpProxyAgent, fetch } from "undici";
import type { Dispatcher } from "undici";
import type { Progress } from "../run/progress.ts";
import { platform } from "../run/places.ts";
import { versions } from "./versions.ts";
import type { Program } from "./versions.ts";

/** Where official binaries are published; a test names its own server. */
export interface Origins {
  kubernetes: string;
  etcd: string;
}

export const officialOrigins: Origins = {
  kubernetes: "https://dl.k8s.io/release",
  etcd: "https://github.com/etcd-io/etcd/releases/download",
};

/**
 * Fetches official binaries into `folder`, each checked against its published SHA-256 and renamed into place when whole.
 *
 * @returns the programs that could not be had, in the order asked; a server that cannot be reached is tried once
 */
export async function download(
  wanted: Program[],
  folder: string,
  progress: Progress,
  origins: Origins = officialOrigins,
): Promise<Program[]> {
  const dispatcher = new EnvHttpProxyAgent({ connect: { timeout: 3000 }, headersTimeout: 10_000, bodyTimeout: 30_000 });
  mkdirSync(folder, { recursive: true });
  const scratch = mkdtempSync(join(folder, ".download-"));
  const left: Program[] = [];
  const unreachable = new Set<string>();
  try {
    for (const program of wanted) {
      const origin = program === "etcd" ? origins.etcd : origins.kubernetes;
      left.push(program);
      if (unreachable.has(origin)) continue;
      const reason: string | undefined = await attempt(program, { folder, scratch, dispatcher, progress, origins });
      if (reason === undefined) left.pop();
      else progress.say(`  no official ${program}: ${reason}`);
      if (reason?.startsWith("no connection")) unreachable.add(origin);
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
    await dispatcher.close();
  }
  return left;
}

interface Attempt {
  folder: string;
  scratch: string;
  dispatcher: Dispatcher;
  progress: Progress;
  origins: Origins;
}

/** Undefined when it worked, else the reason in a few words. */
async function attempt(program: Program, options: Attempt): Promise<string | undefined> {
  options.progress.step(`  downloading ${program}`);
  try {
    const file = program === "etcd" ? await etcd(options) : await kubernetes(program, options);
    chmodSync(file, 0o755);
    renameSync(file, join(options.folder, program));
    options.progress.say(`  downloaded ${program}, checksum verified`);
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

async function kubernetes(program: Program, options: Attempt): Promise<string> {
  const url = `${options.origins.kubernetes}/${versions.kubernetes}/bin/${platform.os}/${platform.arch}/${program}`;
  const published = (await body(`${url}.sha256`, options)).toString("utf8").trim().split(/\s/)[0];
  return verified(await body(url, options), published, join(options.scratch, program));
}

async function etcd(options: Attempt): Promise<string> {
  const base = `${options.origins.etcd}/${versions.etcd}`;
  const archive = `etcd-${versions.etcd}-${platform.os}-${platform.arch}.tar.gz`;
  const sums = (await body(`${base}/SHA256SUMS`, options)).toString("utf8");
  const line = sums.split("\n").find((each) => basename(each.trim().split(/\s+/)[1] ?? "") === archive);
  const file = verified(
    await body(`${base}/${archive}`, options),
    line?.trim().split(/\s/)[0],
    join(options.scratch, archive),
  );
  const inside = `${archive.slice(0, -".tar.gz".length)}/etcd`;
  await promisify(execFile)("tar", ["-xzf", file, "-C", options.scratch, inside]);
  return join(options.scratch, inside);
}

async function body(url: string, { dispatcher }: Attempt): Promise<Buffer> {
  const response = await fetch(url, { dispatcher });
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

function verified(content: Buffer, published: string | undefined, file: string): string {
  if (published === undefined || !/^[0-9a-f]{64}$/.test(published)) throw new Error("no checksum is published for it");
  if (createHash("sha256").update(content).digest("hex") !== published) throw new Error("its checksum does not match");
  writeFileSync(file, content);
  return file;
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined;
  const code = cause?.code;
  if (code !== undefined && /CONNECT|NOTFOUND|AI_AGAIN|UNREACH|REFUSED/.test(code)) return `no connection (${code})`;
  return error instanceof Error ? error.message : String(error);
}
