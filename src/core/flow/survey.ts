/**
 * Surveys: what an account holds, read now and then. Each list is read whole and forgotten when it was counted; nothing is
 * claimed, and the status is written only when it says something else.
 */
import type { Json } from "../../api/types.ts";
import { ownerOf, requireExisting } from "../claim/ownership.ts";
import { plain } from "../kind/differences.ts";
import { isHttpError } from "../kind/outcome.ts";
import type { Verdict } from "../kind/outcome.ts";
import type { Kind } from "../kind/owned.ts";
import type { SurveyRead } from "../kind/call.ts";
import type { Connected } from "./reconciliation.ts";

/** Reads all that the kind names, where that is due. Throws `HttpError` where the cloud API does not answer. */
export async function surveyAccount(at: Connected, survey: NonNullable<Kind["survey"]>): Promise<Verdict> {
  requireExisting(at, "spec.accountRef");
  const { environment, object, remembered, spec } = at;
  const { generation } = object.metadata;
  const everyMs = survey.everyMs(spec);
  const last = remembered.surveyed?.generation === generation ? remembered.surveyed?.at : undefined;
  const leftMs = last === undefined ? 0 : last + everyMs - environment.clock.now();
  if (leftMs > 0) return surveyed(leftMs);
  const answers: Record<string, Json | undefined> = {};
  for (const [name, read] of Object.entries(survey.reads)) answers[name] = await answerOf(at, read);
  const isManaged = (collection: string, id: string): boolean =>
    ownerOf(environment, object, { collection, id }) !== undefined;
  at.next.report = plain(survey.summary({ answers, isManaged, ownTag: environment.installationTag }));
  remembered.surveyed = { at: at.startedAt, generation };
  return surveyed(everyMs);
}

function surveyed(afterMs: number): Verdict {
  return { state: "ready", reason: "Listed", message: "the status shows what the cloud lists", afterMs };
}

/** Undefined where the token may not read it. */
async function answerOf({ session, urgent }: Connected, { path, beta = false, single }: SurveyRead) {
  const options = { urgent, beta };
  try {
    return single ? await session.client.get(path, options) : (await session.client.list(path, options)).rows;
  } catch (error) {
    if (isHttpError(error) && (error.status === 403 || error.status === 404)) return undefined;
    throw error;
  }
}
