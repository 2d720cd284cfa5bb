import type { Json, JsonObject } from "../../../src/api/types.ts";
import type { Simulator } from "../../../src/simulator/simulator.ts";

/** Another client of the same account, with a token and a label of its own in the ledger. */
export interface Stranger {
  /** Throws for every answer but 2xx. Paths are below the version segment. */
  send: (method: string, path: string, body?: JsonObject, options?: { beta?: boolean }) => Promise<Json>;
  /** Undefined for a 404. */
  get: (path: string) => Promise<Json | undefined>;
  /** All rows of a list, paged or not. */
  list: (path: string) => Promise<JsonObject[]>;
}

/** Gives the simulator another token of the account's unrestricted user, and a client that uses it. */
export function createStranger(simulator: Simulator): Stranger {
  const token = "another-token-of-the-same-user";
  simulator.control.addToken({ token, username: "demo", label: "stranger" });

  const call: Stranger["send"] = async (method, path, body, { beta = false } = {}) => {
    const response = await fetch(`${simulator.url}/${beta ? "v4beta" : "v4"}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Refusal(response.status, `${method} ${path} answered ${response.status}: ${text}`);
    return text === "" ? null : (JSON.parse(text) as Json);
  };
  const get: Stranger["get"] = (path) =>
    call("GET", path).catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 404) return undefined;
      throw error;
    });
  return {
    send: call,
    get,
    async list(path) {
      const answer = await get(`${path}${path.includes("?") ? "&" : "?"}page_size=500`);
      const rows = Array.isArray(answer) ? answer : ((answer as JsonObject | undefined)?.["data"] ?? []);
      return rows as JsonObject[];
    },
  };
}

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
