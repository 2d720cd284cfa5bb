import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureControlPlane } from "../../tools/control-plane/ensure.ts";
import { withLock } from "../../tools/run/lock.ts";
import { platform } from "../../tools/run/places.ts";
import { duration } from "../../tools/run/progress.ts";
import type { Progress } from "../../tools/run/progress.ts";
import { cacheFolder, programs, versions } from "../../tools/control-plane/versions.ts";
import type { Program } from "../../tools/control-plane/versions.ts";

let folder: string;
let server: Server | undefined;
let said: string[];
let files: Map<string, Buffer>;
let requests: string[];

const progress: Progress = { say: (line) => said.push(line), step: () => undefined, end: () => undefined };
const environment = (): NodeJS.ProcessEnv => ({ XDG_CACHE_HOME: folder });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "control-plane-test-"));
  said = [];
  files = new Map();
  requests = [];
});

afterEach(() => {
  server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

describe("making the control plane available", () => {
  it("takes what an earlier run left, without asking anybody", async () => {
    for (const program of programs) place(cacheFolder(environment()), program);
    const binaries = await ensureControlPlane({ environment: environment(), progress, origins: await published() });
    expect(Object.values(binaries)).toEqual(programs.map((program) => join(cacheFolder(environment()), program)));
    expect(requests).toEqual([]);
    expect(said).toEqual([]);
  });

  it("downloads official binaries whose checksums match", async () => {
    publishAll();
    const binaries = await ensureControlPlane({ environment: environment(), progress, origins: await published() });
    for (const program of programs) expect(readFileSync(binaries[program], "utf8")).toBe(`program ${program}`);
    expect(execFileSync("sh", ["-c", `test -x ${binaries.etcd} && echo yes`]).toString()).toBe("yes\n");
    expect(readdirSync(cacheFolder(environment())).toSorted()).toEqual([...programs].toSorted());
  });

  it.each([
    ["the content differs from its checksum", () => files.set(kubernetesPath("kubectl"), Buffer.from("tampered"))],
    ["no checksum is published", () => files.delete(`${kubernetesPath("kubectl")}.sha256`)],
    ["the platform has no such program", () => files.delete(kubernetesPath("kubectl"))],
  ])("builds just the program where %s", async (_reason, spoil) => {
    publishAll();
    spoil();
    const built: Program[][] = [];
    await ensureControlPlane({
      environment: environment(),
      progress,
      origins: await published(),
      builder: builder(built),
    });
    expect(built).toEqual([["kubectl"]]);
    expect(said.join("\n")).toContain("no official kubectl");
  });

  it("builds everything where no server can be reached, and asks each server once", async () => {
    const origins = await unreachable();
    const built: Program[][] = [];
    await ensureControlPlane({ environment: environment(), progress, origins, builder: builder(built) });
    expect(built).toEqual([[...programs]]);
    expect(said.filter((line) => line.includes("no connection"))).toHaveLength(1);
  });

  it("takes from KUBEBUILDER_ASSETS what is there and the rest elsewhere", async () => {
    const assets = join(folder, "assets");
    for (const program of ["etcd", "kube-apiserver", "kubectl"] as const) place(assets, program);
    publishAll();
    const binaries = await ensureControlPlane({
      environment: { ...environment(), KUBEBUILDER_ASSETS: assets },
      progress,
      origins: await published(),
    });
    expect(binaries.etcd).toBe(join(assets, "etcd"));
    expect(binaries["kube-controller-manager"]).toBe(join(cacheFolder(environment()), "kube-controller-manager"));
    expect(requests).toEqual([
      `${kubernetesPath("kube-controller-manager")}.sha256`,
      kubernetesPath("kube-controller-manager"),
    ]);
  });

  it("leaves nothing half-made when the build fails", async () => {
    const failing = (): Promise<void> => Promise.reject(new Error("go build failed: no space left"));
    const origins = await unreachable();
    const attempt = ensureControlPlane({ environment: environment(), progress, origins, builder: failing });
    await expect(attempt).rejects.toThrow("no space left");
    expect(readdirSync(cacheFolder(environment()))).toEqual([]);
  });

  it("removes what a killed run left half-made", async () => {
    mkdirSync(join(cacheFolder(environment()), ".build-killed"), { recursive: true });
    publishAll();
    await ensureControlPlane({ environment: environment(), progress, origins: await published() });
    expect(readdirSync(cacheFolder(environment())).toSorted()).toEqual([...programs].toSorted());
  });

  it("works once when two ask at the same time", async () => {
    const built: Program[][] = [];
    const origins = await unreachable();
    const options = { environment: environment(), progress, origins, builder: builder(built) };
    await Promise.all([ensureControlPlane(options), ensureControlPlane(options)]);
    expect(built).toHaveLength(1);
  });
});

it("takes over the lock of a process that no longer runs", async () => {
  const path = join(folder, "lock");
  writeFileSync(path, "999999999");
  const waited: number[] = [];
  expect(
    await withLock(
      path,
      (pid) => waited.push(pid),
      () => Promise.resolve("done"),
    ),
  ).toBe("done");
  expect(waited).toEqual([]);
  expect(existsSync(path)).toBe(false);
});

it.each([
  [0.4, "0 s", "short steps are not padded"],
  [59.4, "59 s", "seconds up to a minute"],
  [65, "1 min 05 s", "two digits keep columns steady"],
])("writes %s seconds as %s: %s", (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

function place(where: string, program: Program): void {
  mkdirSync(where, { recursive: true });
  writeFileSync(join(where, program), `program ${program}`);
  chmodSync(join(where, program), 0o755);
}

function builder(built: Program[][]) {
  return (wanted: Program[], where: string): Promise<void> => {
    built.push([...wanted]);
    for (const program of wanted) place(where, program);
    return Promise.resolve();
  };
}

const kubernetesPath = (program: Program): string =>
  `/release/${versions.kubernetes}/bin/${platform.os}/${platform.arch}/${program}`;

const sha256 = (content: Buffer): string => createHash("sha256").update(content).digest("hex");

/** Everything that the real servers publish for this platform, with matching checksums. */
function publishAll(): void {
  for (const program of programs.filter((each) => each !== "etcd")) {
    const content = Buffer.from(`program ${program}`);
    files.set(kubernetesPath(program), content);
    files.set(`${kubernetesPath(program)}.sha256`, Buffer.from(sha256(content)));
  }
  const name = `etcd-${versions.etcd}-${platform.os}-${platform.arch}`;
  place(join(folder, "archive", name), "etcd");
  execFileSync("tar", ["-czf", join(folder, "archive.tar.gz"), "-C", join(folder, "archive"), name]);
  const archive = readFileSync(join(folder, "archive.tar.gz"));
  files.set(`/etcd/${versions.etcd}/${name}.tar.gz`, archive);
  files.set(`/etcd/${versions.etcd}/SHA256SUMS`, Buffer.from(`${sha256(archive)}  ${name}.tar.gz\n`));
}

async function published(): Promise<{ kubernetes: string; etcd: string }> {
  server = createServer((request, response) => {
    const path = request.url ?? "";
    requests.push(path);
    const content = files.get(path);
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { kubernetes: `${base}/release`, etcd: `${base}/etcd` };
}

/** The address of a server that has gone: connections are refused. */
async function unreachable(): Promise<{ kubernetes: string; etcd: string }> {
  const { kubernetes } = await published();
  await new Promise((resolve) => server?.close(resolve));
  return { kubernetes, etcd: kubernetes };
}
