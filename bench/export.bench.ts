/** Export of an account with ten thousand rows, with the bundled command line: reads, time and memory. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Dump } from "../src/simulator/server/store/store.ts";
import { startSimulator } from "../src/simulator/simulator.ts";
import type { Simulator } from "../src/simulator/simulator.ts";
import { bundle, programs } from "../tools/bundle/bundle.ts";
import { figure, until } from "./support/measure.ts";

const zones = 4;
const recordsOfZone = 1_999;
const keys = 1_000;
const tags = 850;
const instances = 50;
const pageSize = 500;

const folder = mkdtempSync(join(tmpdir(), "export-bench-"));
const simulator = await startSimulator({ timeScale: 100_000 });
try {
  await furnish();
  await bundle(
    join(folder, "dist"),
    programs.filter(({ file }) => file === "cloudplatform.mjs"),
  );
  const before = simulator.control.ledger().at(-1)?.id ?? 0;
  const { seconds, mebibytes, objects } = await exported();
  const paths = simulator.control.ledger({ sinceId: before }).map(({ path }) => path);
  const further = (rows: number): number => Math.ceil(rows / pageSize) - 1;
  const pages = new Set(paths).size + zones * further(recordsOfZone + 1) + further(keys) + further(tags + 1);
  figure("objects of an export", objects, "", { atLeast: 10_000 });
  figure("reads of the export, divided by the pages that exist", paths.length / pages, "", { atMost: 1.1 });
  figure("the export from start to end", seconds, "s", { atMost: 10 });
  figure("most memory of the export", mebibytes, "MiB", { atMost: 150 });
} finally {
  await simulator.close();
  rmSync(folder, { recursive: true });
}

async function furnish(): Promise<void> {
  for (let zone = 1; zone <= zones; zone += 1) {
    await post("/domains", { domain: `zone${zone}.example`, type: "master", soa_email: "a@example.org" });
    await post(`/domains/${zone}/records`, { type: "A", name: "first", target: "192.0.2.1" });
  }
  const key = "AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh";
  await post("/profile/sshkeys", { label: "first", ssh_key: `ssh-ed25519 ${key} ada@laptop` });
  await post("/tags", { label: "first" });
  for (let number = 1; number <= instances; number += 1) {
    const image = { image: "compute/debian12", root_pass: "a password of the bench" };
    await post("/compute/instances", { region: "us-east", type: "g6-nanode-1", label: `vm-${number}`, ...image });
  }
  await until("all instances run", async () => resting(simulator), { patienceMs: 60_000, everyMs: 200 });
  const dump = simulator.control.snapshot();
  const copies = [
    ...Array.from({ length: zones }).flatMap((_, zone) => copiesOf(dump, "record", zone, recordsOfZone)),
    ...copiesOf(dump, "sshkey", 0, keys - 1),
    ...copiesOf(dump, "tag", 0, tags),
  ];
  simulator.control.restore({ ...dump, rows: [...dump.rows, ...copies] });
}

function resting({ control }: Simulator): Promise<boolean> {
  return Promise.resolve(control.rows("instance").every((row) => row["status"] === "running"));
}

/** Returns copies of a row with further IDs and names. */
function copiesOf({ rows }: Dump, table: string, at: number, count: number): Dump["rows"] {
  const own = rows.filter((row) => row.table === table && row.account !== "");
  const first = own[at];
  if (!first) throw new Error(`no ${table}; there are ${[...new Set(rows.map((row) => row.table))].join(", ")}`);
  const body = first.body as { id?: number };
  return Array.from({ length: count }, (_, index) => {
    const id = 10_000 + at * 100_000 + index;
    const names = { label: `${table}-${index}`, name: `h${index}` };
    const named = Object.fromEntries(Object.entries(names).filter(([field]) => field in body));
    const copy = { ...body, ...named, ...(body.id !== undefined && { id }) };
    return { ...first, id: body.id === undefined ? (named["label"] ?? "") : String(id), body: copy };
  });
}

async function post(path: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${simulator.token}`, "content-type": "application/json" };
  const answer = await fetch(`${simulator.url}/v4${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
}

/** Runs the export as a process. */
async function exported(): Promise<{ seconds: number; mebibytes: number; objects: number }> {
  const token = join(folder, "token");
  writeFileSync(token, simulator.token);
  const report = "process.on('exit', () => console.error('maxrss', process.resourceUsage().maxRSS))";
  const program = join(folder, "dist", "cloudplatform.mjs");
  const args = ["export", "--all", "--token-file", token, "--endpoint", simulator.url];
  const options = [
    ...(process.env["PROF"] ? ["--cpu-prof", "--cpu-prof-dir=/tmp/cliprof"] : []),
    "--import",
    `data:text/javascript,${encodeURIComponent(report)}`,
    "--max-semi-space-size=4",
  ];
  const began = performance.now();
  const child = spawn(process.execPath, [...options, program, ...args, "--folder", join(folder, "out")]);
  let told = "";
  child.stderr.on("data", (text: Buffer) => (told += text.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  const seconds = (performance.now() - began) / 1_000;
  if (code !== 0) throw new Error(`export exited with ${code}: ${told}`);
  const [, kibibytes] = /maxrss (\d+)/.exec(told) ?? [];
  const [, objects] = /(\d+) objects exported/.exec(told) ?? [];
  return { seconds, mebibytes: Number(kibibytes) / 1_024, objects: Number(objects) };
}
