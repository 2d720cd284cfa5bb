import { onTestFinished } from "vitest";
import { startSimulator } from "../../src/simulator/simulator.ts";
import type { Simulator, SimulatorOptions } from "../../src/simulator/simulator.ts";
import { createMovedClock } from "../support/clock.ts";
import type { MovedClock } from "../support/clock.ts";

export interface Reply {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
  text: string;
}

export interface Running extends Simulator {
  clock: MovedClock;
  /** One request as the demo user; `token: null` sends no credentials. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Reply>;
  /** Like `call`, for one that must be answered with 200: its body. */
  ok(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Record<string, unknown>>;
}

export interface CallOptions {
  token?: string | null;
  headers?: Record<string, string>;
}

/** A simulator on a moved clock, ended with the test. `path` in calls is below /v4 unless it names a version. */
export async function running(options: SimulatorOptions = {}): Promise<Running> {
  const clock = createMovedClock();
  const simulator = await startSimulator({ clock, token: "demo-token", ...options });
  onTestFinished(() => simulator.close());
  const call: Running["call"] = (method, path, body, callOptions) =>
    request(simulator, method, path, body, callOptions);
  const ok: Running["ok"] = async (...request_) => {
    const reply = await call(...request_);
    if (reply.status !== 200) throw new Error(`${request_[0]} ${request_[1]} → ${reply.status} ${reply.text}`);
    return reply.body;
  };
  return { ...simulator, clock, call, ok };
}

/** The smallest body of an instance that gets disks and boots. */
export const DEBIAN = {
  region: "us-east",
  type: "g6-standard-1",
  image: "compute/debian12",
  root_pass: "correct horse battery",
};

/** The `errors` of a refusal as `field: reason` lines. */
export function reasons(reply: Reply): string[] {
  const errors = reply.body["errors"] as { field?: string; reason: string }[];
  return errors.map(({ field, reason }) => (field === undefined ? reason : `${field}: ${reason}`));
}

async function request(
  simulator: Simulator,
  method: string,
  path: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Reply> {
  const { token = simulator.token, headers = {} } = options;
  const versioned = /^\/(v4|_sim|healthz|openapi)/.test(path) ? path : `/v4${path}`;
  const response = await fetch(simulator.url + versioned, {
    method,
    headers: {
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parse(text), text };
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}
