/**
 * Counts the content of an account at intervals. The operator reads complete lists, keeps no rows, and claims no cloud
 * objects. The operator writes the status after a change of the counts, or if the reported time is an hour old.
 */
import { reportedOf } from "../kind/object.ts";
import { isDeepStrictEqual } from "node:util";
import type { Json, JsonObject } from "../../api/types.ts";
import { ownerOf } from "../model/owners.ts";
import { listOf, plain } from "../kind/differences.ts";
import { fitted } from "../kind/fitting.ts";
import { isHttpError } from "../kind/outcome.ts";
import type { Verdict } from "../kind/outcome.ts";
import type { Kind } from "../kind/owned.ts";
import type { SurveyRead } from "../kind/call.ts";
import { timestamp } from "../kind/timestamp.ts";
import type { Connected } from "../model/context.ts";
import { times } from "../kind/times.ts";

/** Reads all lists that the kind names after each interval. Throws `HttpError` if the cloud API does not answer. */
export async function surveyAccount(ctx: Connected, survey: NonNullable<Kind["survey"]>): Promise<Verdict> {
  const { environment, object, remembered, spec } = ctx;
  const { generation } = object.metadata;
  const everyMs = survey.everyMs(spec);
  const last = remembered.surveyed?.generation === generation ? remembered.surveyed : undefined;
  const leftMs = last === undefined ? 0 : last.at + everyMs - environment.clock.now();
  if (last && leftMs > 0) return surveyed(last.unreadable, leftMs);
  const answers: Record<string, Json | undefined> = {};
  for (const [name, read] of Object.entries(survey.reads)) answers[name] = await readOne(ctx, read);
  const isManaged = (collection: string, id: string): boolean =>
    ownerOf(environment, object, { collection, id }) !== undefined;
  const summary = plain(survey.summary({ answers, isManaged, ownTag: environment.installationTag }));
  ctx.next.report = { ...summary, readAt: readAtOf(ctx, summary) };
  const unreadable = Object.keys(survey.reads).filter((name) => answers[name] === undefined);
  remembered.surveyed = { at: ctx.startedAt, generation, unreadable };
  return surveyed(unreadable, everyMs);
}

function readAtOf({ kind, object, environment }: Connected, summary: JsonObject): string {
  const now = environment.clock.date();
  const { readAt, ...before } = reportedOf(object);
  const isSame = typeof readAt === "string" && isDeepStrictEqual(before, fitted(kind.status, summary));
  return isSame && now.getTime() - Date.parse(readAt) < times.hour ? readAt : timestamp(now);
}

function surveyed(unreadable: string[], afterMs: number): Verdict {
  const lacking = unreadable.length === 0 ? "" : `; the token cannot read ${listOf(unreadable)}`;
  return { state: "ready", reason: "Listed", message: `the status shows the lists of the cloud${lacking}`, afterMs };
}

/** Returns undefined if the token cannot read the path. */
async function readOne({ session, urgent }: Connected, { path, beta = false, single }: SurveyRead) {
  const options = { urgent, beta };
  try {
    return single ? await session.client.get(path, options) : (await session.client.list(path, options)).rows;
  } catch (error) {
    if (isHttpError(error) && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  }
}
