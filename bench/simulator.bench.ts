/** The simulator under load: ten thousand instances stored, single reads, lists, creations; beside a bare HTTP server. */
import { fork } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent, request } from "undici";
import type { Dump } from "../src/simulator/server/store/store.ts";
import { startSimulator } from "../src/simulator/simulator.ts";
import type { Simulator } from "../src/simulator/simulator.ts";
import { simulatorNodeFlags } from "../tools/bundle/bundle.ts";
import { alternate, figure, median, repeat } from "./support/measure.ts";

const stored = 10_000;
const parallel = 32;

if (process.send === undefined) await client();
else await server();

/** The server side in a process of its own, so that its memory and its core are its own. */
async function server(): Promise<void> {
  const began = performance.now();
  const simulator = await startSimulator({ token: "bench", timeScale: 100_000 });
  const startMs = performance.now() - began;
  const headers = { Authorization: "Bearer bench", "Content-Type": "application/json" };
  const post = async (path: string, body: object): Promise<{ id: number }> =>
    (await (
      await fetch(`${simulator.url}/v4${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    ).json()) as {
      id: number;
    };
  const machine = {
    region: "us-east",
    type: "g6-standard-1",
    image: "compute/debian12",
    root_pass: "Bench-Pass-7-long!",
  };
  const { id } = await post("/compute/instances", { ...machine, label: "vm-0" });
  const zone = await post("/domains", { domain: "bench.example.com", type: "master", soa_email: "a@example.com" });
  const answer = copyInstance(simulator, id);
  const bare = createServer((_, response) => response.end(answer));
  await new Promise<void>((resolve) => bare.listen(0, "127.0.0.1", resolve));
  const bareUrl = `http://127.0.0.1:${(bare.address() as AddressInfo).port}`;
  process.on("message", () => {
    globalThis.gc?.();
    process.send?.({ memory: process.memoryUsage().rss });
  });
  process.on("disconnect", () => process.exit(0));
  process.send?.({ url: simulator.url, bareUrl, id, zone: zone.id, startMs });
}

/** Stores copies of the first instance until there are ten thousand; answers its text. */
function copyInstance({ control }: Simulator, id: number): string {
  const dump = control.snapshot();
  const first = dump.rows.find(({ table }) => table === "instance");
  if (!first) throw new Error("no instance was made");
  const copies: Dump["rows"] = Array.from({ length: stored - 1 }, (_, index) => {
    const copy = { ...(first.body as object), id: id + index + 1, label: `vm-${index + 1}` };
    return { ...first, id: String(copy.id), body: copy };
  });
  control.restore({ ...dump, rows: [...dump.rows, ...copies] });
  return JSON.stringify(first.body);
}

interface Told {
  url: string;
  bareUrl: string;
  id: number;
  zone: number;
  startMs: number;
  memory: number;
}

async function client(): Promise<void> {
  const child = fork(import.meta.filename, { execArgv: ["--expose-gc", ...simulatorNodeFlags] });
  const heard = (): Promise<Told> => new Promise((resolve) => child.once("message", (told) => resolve(told as Told)));
  const told = await heard();
  child.send("memory");
  figure("memory of the simulator with ten thousand stored", (await heard()).memory / 2 ** 20, "MiB", { atMost: 250 });
  const dispatcher = new Agent({ connections: parallel });
  const headers = { authorization: "Bearer bench", "content-type": "application/json" };
  const call = async (url: string, method: "GET" | "POST" = "GET", body?: object): Promise<void> => {
    const answer = await request(url, { dispatcher, method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${method} ${url}: ${answer.statusCode} ${text}`);
  };
  let record = 0;
  const api = `${told.url}/v4`;
  const times = await alternate(5, {
    bare: () => repeat(3_000, parallel, () => call(told.bareUrl)),
    get: () => repeat(3_000, parallel, (index) => call(`${api}/compute/instances/${told.id + (index % stored)}`)),
    post: () =>
      repeat(1_000, parallel, () =>
        call(`${api}/domains/${told.zone}/records`, "POST", { type: "A", name: `r${record++}`, target: "203.0.113.7" }),
      ),
    page: () => repeat(20, 1, (index) => call(`${api}/compute/instances?page=${index + 1}&page_size=500`)),
  });
  figure("start of the simulator, until it answers", told.startMs, "ms", { atMost: 1_000 });
  figure(
    "GETs of one instance",
    3_000 / (median(times.get) / 1000),
    "/s",
    { atLeast: 3_000 },
    {
      of: "a bare HTTP server with the same answer",
      value: 3_000 / (median(times.bare) / 1000),
    },
  );
  figure("POSTs of a record", 1_000 / (median(times.post) / 1000), "/s", { atLeast: 1_000 });
  figure("reading a page of 500 rows of ten thousand", median(times.page) / 20, "ms", { atMost: 20 });
  child.send("memory");
  figure(
    "memory of the simulator after all of these requests, each in the ledger",
    (await heard()).memory / 2 ** 20,
    "MiB",
    {
      atMost: 250,
    },
  );
  child.disconnect();
  await dispatcher.close();
}
