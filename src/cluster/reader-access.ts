import { createHash } from "node:crypto";
import type { Clock } from "../queue/clock.ts";
import type { Transport } from "./transport.ts";

/** Result for a token: no user has the token, the user may not read, or the user may read. */
export type Verdict = "unknown" | "forbidden" | "allowed";

export interface ReaderAccessOptions {
  transport: Pick<Transport, "request">;
  clock: Pick<Clock, "now">;
  /** Non-resource path, such as `/metrics`, for which the user needs the verb `get`. */
  path: string;
}

/** A revoked permission takes effect after a minute at most, and a new permission after ten seconds. */
const allowedMs = 60_000;
const refusedMs = 10_000;
const mostRemembered = 1_000;

/** Most unknown tokens in review at the same time. */
const mostStrangers = 8;

/** Milliseconds for each of the two reviews: less than the timeout of a scraper. */
const deadlineMs = 4_000;

/**
 * Creates the check whether a token may read a path, by TokenReview and SubjectAccessReview. Caches verdicts for a
 * short time, by a hash of the token. A client with many tokens causes a limited number of reviews and does not lock
 * out permitted readers.
 *
 * Needs the permission to create both reviews. Throws `KubeError` if the API server does not answer or denies a review,
 * and `Error` if too many unknown tokens are in review.
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
    if (isStranger && strangers >= mostStrangers) throw new Error("too many tokens are being checked; try again");
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
    // A review stores nothing.
    idempotent: true,
    verb: "create",
    resource,
  });
  return (answer as { status?: object }).status ?? {};
}
