import type { JsonObject } from "../../src/api/types.ts";

/** What goes wrong between operator and cloud, at which requests and how often. */
export type FaultKind =
  /** No connection: the request never left. */
  | "unreachable"
  /** The request left and was not done; no answer. */
  | "lostBefore"
  /** It was done; the connection breaks `brokenMs` later, at once if not given. */
  | "lostAfter"
  /** No answer, and it is done `ms` later. */
  | "lateApply"
  /** It was not done; a gateway answers `brokenMs` later, at once if not given. */
  | "html502"
  /** It was done; a gateway answers `brokenMs` later, at once if not given. */
  | "html502After"
  /** 503 with `X-Maintenance-Mode` and `Retry-After`; not done. */
  | "maintenance"
  /** JSON 404, whatever is asked for. */
  | "notFound"
  /** `200 {}` */
  | "empty"
  | "tooMany"
  | "unauthorized"
  /** It was done, and is answered with `row` as it is then, `ms` later if given. */
  | "answersFor"
  | "busy"
  /** 400 with `reason`; not done. */
  | "refused"
  | "forbidden"
  /** Done at once, answered `ms` later. */
  | "slow"
  /** Done and answered `ms` later. */
  | "slowApply"
  /** Not done, and never answered. */
  | "silent";

export interface Fault {
  kind: FaultKind;
  method?: string;
  path?: RegExp;
  token?: string;
  /** Once if not given. */
  times?: number;
  ms?: number;
  brokenMs?: number;
  reason?: string;
  row?: { fields: JsonObject };
}

export interface Faults {
  add: (fault: Fault) => void;
  clear: () => void;
  /** The fault that this request meets; the first that was added and fits. */
  take: (request: { method: string; path: string; token: string }) => Fault | undefined;
}

export function createFaults(): Faults {
  let waiting: (Fault & { left: number })[] = [];
  return {
    add: (fault) => void waiting.push({ ...fault, left: fault.times ?? 1 }),
    clear: () => {
      waiting = [];
    },
    take({ method, path, token }) {
      const found = waiting.find(
        (fault) =>
          (fault.method === undefined || fault.method === method) &&
          (fault.path === undefined || fault.path.test(path)) &&
          (fault.token === undefined || fault.token === token),
      );
      if (!found) return undefined;
      found.left -= 1;
      if (found.left <= 0) waiting = waiting.filter((fault) => fault !== found);
      return found;
    },
  };
}
