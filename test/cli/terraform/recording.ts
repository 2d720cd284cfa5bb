/**
 * A recording of the Terraform provider: `configuration/` applied to a simulator. `recorded/` has the state in both formats, and the
 * mutating requests.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../../src/api/types.ts";
import type { Simulator } from "../../../src/simulator/simulator.ts";

/** The provider uses paths with this word. */
export const brandWord = "linode";

const folder = join(import.meta.dirname, "recorded");
export const recordedState = join(folder, "state.json");
export const recordedShow = join(folder, "show.json");
export const configuration = join(import.meta.dirname, "configuration");

interface Recorded {
  method: string;
  path: string;
  body: JsonObject;
}

/**
 * Sends the requests of the recording to a new simulator. The account then has the IDs of the recorded state. The simulator refuses
 * requests to a busy instance, so `replay` repeats them.
 */
export async function replay({ url, token }: Pick<Simulator, "url" | "token">): Promise<void> {
  const requests = JSON.parse(readFileSync(join(folder, "requests.json"), "utf8")) as Recorded[];
  for (const { method, path, body } of requests) await sent(`${url}${path}`, method, body, token);
}

/** Changes the label of an instance by hand, so that the account differs from the state. */
export async function rename({ url, token }: Pick<Simulator, "url" | "token">): Promise<void> {
  await sent(`${url}/v4/linode/instances/1003`, "PUT", { label: "renamed-by-hand" }, token);
}

async function sent(url: string, method: string, body: JsonObject, token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const end = Date.now() + 30_000;
  for (;;) {
    const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
    if (answer.ok) return;
    if (Date.now() > end) throw new Error(`${method} ${url}: ${await answer.text()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
