import { createHash } from "node:crypto";
import type { Clock } from "../queue/clock.ts";
import type { Transport } from "./transport.ts";

/** What the API server says of a token: that it is nobody's, that its user may not, or that the user may. */
export type Verdict = "unknown" | "forbidden" | "allowed";

export interface ReaderAccessOptions {
  transport: Pick<Transport, "request">;
  clock: Pick<Clock, "now">;
  /** Path that is no resource, such as `/metrics`, for which the user needs the verb `get`. */
  path: string;
}

/** A permission that was taken away counts at the latest after a minute, one that was given after ten seconds. */
const allowedMs = 60_000;
const refusedMs = 10_000;
const mostRemembered = 1_000;

/** So many tokens that were not allowed before are asked about at the same time. */
const mostStrangers = 8;

/** Of each of the two questions, milliseconds: less than scrapers wait. */
const deadlineMs = 4_000;

/**
 * Whether who shows a token may read a path, by TokenReview and SubjectAccessReview. Verdicts are remembered for a short
 * time, by a hash of the token. Whoever shows many tokens neither has many asked about, nor keeps those out who may read.
 *
 * Needs the permission to create both reviews. Throws `KubeError` where the API server does not answer or refuses that,
 * and `Error` where too many strangers are asked about already.
 */
export function createReaderAccess(options: ReaderAccessOptions): (token: string) => Promise<Verdict> {
  const { clock } = options;
  const [allowed, refused] = [new Map<string, Remembered>(), new Map<string, Remembered>()];
  const asked = new Map<string, Promise<Verdict>>();
  let strangers = 0;

  async function ask(hash: string, token: string, isStranger: boolean): Promise<Verdict> {
    strangers += Number(isStranger);
    try {
      const verdict = await judge(options, token);
      const [known, forMs] = verdict === "allowed" ? [allowed, allowedMs] : [refused, refusedMs];
      allowed.delete(hash);
      if (known.size >= mostRemembered) known.clear();
      known.set(hash, { verdict, untilMs: clock.now() + forMs });
      return verdict;
    } finally {
      strangers -= Number(isStranger);
      asked.delete(hash);
    }
  }

  return async (token) => {
    const hash = createHash("sha256").update(token).digest("base64");
    const found = allowed.get(hash) ?? refused.get(hash);
    if (found && found.untilMs > clock.now()) return found.verdict;
    const known = asked.get(hash);
    if (known) return known;
    const isStranger = !allowed.has(hash);
    if (isStranger && strangers >= mostStrangers) throw new Error("too many others are being checked; try again");
    const answer = ask(hash, token, isStranger);
    asked.set(hash, answer);
    return answer;
  };
}

interface Remembered {
  verdict: Verdict;
  untilMs: number;
}

interface TokenStatus {
  authenticated?: boolean;
  user?: { username: string; uid?: string; groups?: string[]; extra?: Record<string, string[]> };
}

async function judge({ transport, path }: ReaderAccessOptions, token: string): Promise<Verdict> {
  const review = await create(transport, "authentication.k8s.io", "TokenReview", { token });
  const { authenticated, user } = review as TokenStatus;
  if (authenticated !== true || user === undefined) return "unknown";
  const { username, ...rest } = user;
  const nonResourceAttributes = { path, verb: "get" };
  const spec = { user: username, ...rest, nonResourceAttributes };
  const access = await create(transport, "authorization.k8s.io", "SubjectAccessReview", spec);
  return (access as { allowed?: boolean }).allowed === true ? "allowed" : "forbidden";
}

async function create(
  transport: ReaderAccessOptions["transport"],
  group: string,
  kind: string,
  spec: object,
): Promise<object> {
  const resource = `${kind.toLowerCase()}s`;
  const answer = await transport.request({
    method: "POST",
    path: `/apis/${group}/v1/${resource}`,
    body: { apiVersion: `${group}/v1`, kind, spec },
    deadlineMs,
    // It stores nothing.
    idempotent: true,
    verb: "create",
    resource,
  });
  return (answer as { status?: object }).status ?? {};
}
