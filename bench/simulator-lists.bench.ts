/**
 * Lists that grow: the processor time of a creation, and of a filter that finds one row, with a hundred rows there and with ten thousand;
 * and the longest turn of the event loop while a list of a hundred thousand rows is read for the first time.
 */
import { Agent, request } from "undici";
import type { Dump } from "../src/simulator/server/store/store.ts";
import { startSimulator } from "../src/simulator/simulator.ts";
import type { Simulator } from "../src/simulator/simulator.ts";
import { figure, repeat } from "./support/measure.ts";

const sizes = { few: 100, many: 10_000, most: 100_000 };
const calls = 40;
const tries = 12;

interface Growing {
  readonly path: string;
  /** The table in a snapshot. */
  readonly table: string;
  body(number: number): object;
  filter(number: number): object;
  /** A filter that finds all rows by an index. */
  readonly common: object;
}

const tags = ["common"];
const common = { tags: "common" };

const lists: Readonly<Record<string, Growing>> = {
  domain: {
    path: "/domains",
    table: "domain",
    body: (number) => ({ domain: `d${number}.example.com`, type: "master", soa_email: "a@example.com", tags }),
    filter: (number) => ({ domain: `d${number}.example.com` }),
    common,
  },
  instance: {
    path: "/compute/instances",
    table: "instance",
    body: (number) => ({ region: "us-east", type: "g6-nanode-1", label: `vm-${number}`, tags }),
    filter: (number) => ({ label: `vm-${number}` }),
    common,
  },
  firewall: {
    path: "/networking/firewalls",
    table: "firewall",
    body: (number) => ({ label: `fw-${number}`, rules: { inbound_policy: "DROP", outbound_policy: "ACCEPT" }, tags }),
    filter: (number) => ({ label: `fw-${number}` }),
    common,
  },
  record: {
    path: "/domains/1/records",
    table: "record",
    body: (number) => ({ type: "A", name: `r${number}`, target: "203.0.113.7" }),
    filter: (number) => ({ name: `r${number}` }),
    common: { target: "203.0.113.7" },
  },
};

const dispatcher = new Agent({ connections: 4 });
for (const [noun, list] of Object.entries(lists)) {
  await compare(noun, list);
  await measureTurns(noun, list);
}
await dispatcher.close();

async function compare(noun: string, list: Growing): Promise<void> {
  const few = await opened(list, sizes.few);
  const many = await opened(list, sizes.many);
  const rounds = (filled: Filled) => ({
    create: () => repeat(calls, 1, () => filled.create()),
    find: () => repeat(calls, 1, (index) => filled.find(1 + (index % sizes.few))),
  });
  const [small, large] = [rounds(few), rounds(many)];
  const [createFew, createMany, findFew, findMany] = await costs([small.create, large.create, small.find, large.find]);
  figure(`POST of a ${noun}, ${sizes.few} there`, createFew, "ms");
  figure(`POST of a ${noun}, ${sizes.many} there`, createMany, "ms");
  figure(`POST of a ${noun}: the latter divided by the former`, createMany / createFew, "", { atMost: 1.3 });
  figure(`a filter that finds one ${noun} of ${sizes.few}`, findFew, "ms");
  figure(`a filter that finds one ${noun} of ${sizes.many}`, findMany, "ms");
  figure(`the filter for one ${noun}: the latter divided by the former`, findMany / findFew, "", { atMost: 1.3 });
  await Promise.all([few.close(), many.close()]);
}

/** The client runs in the same process, so a turn has the work of both. */
async function measureTurns(noun: string, list: Growing): Promise<void> {
  const simulator = await startSimulator({ token: "bench", timeScale: 0.001 });
  await addZone(simulator);
  await send(simulator, "POST", list.path, list.body(1));
  copyRow(simulator, list);
  await send(simulator, "GET", "/regions");
  const requests: [what: string, filter: object | undefined][] = [
    ["the first filter, which finds one,", list.filter(sizes.most)],
    ["a filter that finds all", list.common],
    ["a page without a filter", undefined],
  ];
  for (const [what, filter] of requests) {
    const turnMs = await longestTurnMs(() => send(simulator, "GET", list.path, undefined, filter));
    figure(`longest turn: ${what} of ${sizes.most} ${noun}s`, turnMs, "ms", { atMost: 50 });
  }
  await simulator.close();
}

/** Stores copies of the only row until there are a hundred thousand. */
function copyRow({ control }: Simulator, list: Growing): void {
  const { table } = list;
  const dump = control.snapshot();
  const first = dump.rows.find((row) => row.table === table && row.account !== "");
  if (!first) throw new Error(`no ${table} was made`);
  const own = first.body as { id: number };
  const copies: Dump["rows"] = Array.from({ length: sizes.most - 1 }, (_, index) => {
    const { label, domain, name } = list.body(index + 2) as { label?: string; domain?: string; name?: string };
    const named = { ...(label && { label }), ...(domain && { domain }), ...(name && { name }) };
    const copy = { ...own, ...named, id: own.id + 1_000 + index };
    return { ...first, id: String(copy.id), body: copy };
  });
  control.restore({ ...dump, rows: [...dump.rows, ...copies] });
  globalThis.gc?.();
}

/** Returns the longest time between two turns of the event loop while `work` is under way. */
async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let [longest, last, isWorking] = [0, performance.now(), true];
  const turn = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (isWorking) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  turn();
  isWorking = false;
  return longest;
}

type Work = () => Promise<void>;
type Four<T> = [T, T, T, T];

/** Milliseconds of processor time that one call takes, of each in turn: of many rounds the least disturbed, on a machine that others use. */
async function costs(works: Four<Work>): Promise<Four<number>> {
  const least: Four<number> = [Infinity, Infinity, Infinity, Infinity];
  for (let round = 0; round < tries; round += 1) {
    for (const [index, work] of works.entries()) {
      const before = process.cpuUsage();
      await work();
      const { user, system } = process.cpuUsage(before);
      least[index] = Math.min(least[index] ?? Infinity, (user + system) / 1000 / calls);
    }
  }
  return least;
}

interface Filled {
  create(): Promise<void>;
  find(number: number): Promise<void>;
  close(): Promise<void>;
}

/** A simulator that has so many rows; jobs that creations plan wait until it ends, so that what they do is not measured. */
async function opened(list: Growing, size: number): Promise<Filled> {
  const simulator = await startSimulator({ token: "bench", timeScale: 0.001 });
  await addZone(simulator);
  let made = 0;
  const create = async (): Promise<void> => {
    made += 1;
    await send(simulator, "POST", list.path, list.body(made));
  };
  await repeat(size, 4, create);
  const find = async (number: number): Promise<void> => {
    const found = await send(simulator, "GET", list.path, undefined, list.filter(number));
    if (!found.includes('"results":1')) throw new Error(`${list.path}: not one row: ${found.slice(0, 200)}`);
  };
  return { create, find, close: () => simulator.close() };
}

async function addZone(simulator: Simulator): Promise<void> {
  await send(simulator, "POST", "/domains", { domain: "zone.example.com", type: "master", soa_email: "a@example.com" });
}

async function send(
  { url }: Simulator,
  method: "GET" | "POST",
  path: string,
  body?: object,
  filter?: object,
): Promise<string> {
  const headers = {
    authorization: "Bearer bench",
    "content-type": "application/json",
    ...(filter && { "x-filter": JSON.stringify(filter) }),
  };
  const options = { dispatcher, method, headers, ...(body && { body: JSON.stringify(body) }) };
  const answer = await request(`${url}/v4${path}`, options);
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
  return text;
}
