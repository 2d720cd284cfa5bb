import { DEBIAN } from "../running.ts";
import type { Running } from "../running.ts";

export interface Instance {
  id: number;
  /** Below /v4. */
  path: string;
  read(): Promise<Record<string, unknown>>;
  status(): Promise<unknown>;
  /** The rows of one of its lists. */
  list(name: string): Promise<Record<string, unknown>[]>;
}

/** An instance that was made long enough ago to have come to rest. */
export async function instanceOf(simulator: Running, body: Record<string, unknown> = {}): Promise<Instance> {
  const { id } = await simulator.ok("POST", "/compute/instances", { ...DEBIAN, ...body });
  await simulator.clock.advance(60_000);
  return instanceAt(simulator, Number(id));
}

export function instanceAt(simulator: Running, id: number): Instance {
  const path = `/compute/instances/${id}`;
  const read = (): Promise<Record<string, unknown>> => simulator.ok("GET", path);
  return {
    id,
    path,
    read,
    status: async () => (await read())["status"],
    list: async (name) => (await simulator.ok("GET", `${path}/${name}`))["data"] as Record<string, unknown>[],
  };
}

/** `action status` of the account's events, newest first. */
export async function eventsOf(simulator: Running): Promise<string[]> {
  const { data } = await simulator.ok("GET", "/account/events");
  return (data as Record<string, unknown>[]).map((event) => `${String(event["action"])} ${String(event["status"])}`);
}

/** Takes the account's balance to so many dollars. */
export function setBalance(simulator: Running, balance: number): void {
  simulator.control.change("account", "demo", { balance }, "");
}
