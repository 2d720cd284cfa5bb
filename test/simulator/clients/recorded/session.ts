import type { Simulator } from "../../../../src/simulator/simulator.ts";
import { json } from "./interactions.ts";
import { References } from "./references.ts";

/** A request as it goes to the simulator. */
export interface Request {
  readonly method: string;
  /** Below the version segment. */
  readonly path: string;
  readonly query?: string;
  readonly filter?: string | null;
  readonly body?: string;
}

export interface Response {
  readonly status: number;
  readonly answer: unknown;
}

/** A simulator in its initial state, for the interactions of one file. */
export interface Session {
  readonly simulator: Simulator;
  readonly ids: References;
  readonly addresses: Addresses;
  call(request: Request): Promise<Response>;
  /** Sends a request of the kind that the recording leaves out. Throws unless the simulator answers 200. */
  ensure(method: string, path: string, body?: object): Promise<Record<string, unknown>>;
}

/** Recorded addresses are all replaced by the same one, so that a request's address follows from what happened before. */
export interface Addresses {
  /** By the simulator's ID of an instance: its first address. */
  readonly first: Map<string, string>;
  /** The last address that was reserved or allocated. */
  last?: string;
  /** The last address that was assigned to an instance by a request. */
  assigned?: string;
  /** The last IPv6 range, with its prefix length. */
  range?: string;
}

export function openSession(simulator: Simulator): Session {
  const call = async ({ method, path, query = "", filter = null, body = "" }: Request): Promise<Response> => {
    const response = await fetch(`${simulator.url}/v4beta${path}${query === "" ? "" : `?${query}`}`, {
      method,
      headers: {
        Authorization: `Bearer ${simulator.token}`,
        ...(filter !== null && { "X-Filter": filter }),
        ...(body !== "" && { "Content-Type": "application/json" }),
      },
      ...(body !== "" && { body }),
    });
    return { status: response.status, answer: json(await response.text()) };
  };
  return {
    simulator,
    ids: new References(),
    addresses: { first: new Map() },
    call,
    ensure: async (method, path, body) => {
      const { status, answer } = await call({ method, path, ...(body && { body: JSON.stringify(body) }) });
      if (status !== 200) throw new Error(`${method} ${path} → ${status} ${JSON.stringify(answer)}`);
      return answer as Record<string, unknown>;
    },
  };
}
