/**
 * Requests values that expire, such as a pre-signed URL, and stores them only in the published Secret. Labels of the
 * Secret contain the time and a keyed digest of the request. After an edit of the Secret, or a change of the request,
 * the operator requests new values.
 */
import type { Secret } from "../../cluster/types.ts";
import { sendChange } from "../send/change.ts";
import { requireApproval } from "../send/permission.ts";
import type { Observed } from "../model/context.ts";
import { digestOf, live, withFacts } from "../model/context.ts";
import { valuesIn } from "../secrets/form.ts";
import type { Values } from "../secrets/form.ts";
import { times } from "../kind/times.ts";

const timeLabel = "cloudplatform.dev/issued-at";
const digestLabel = "cloudplatform.dev/issued-for";

/** Part of the lifetime after which the operator requests new values. */
const share = 2 / 3;

/**
 * Returns data and labels of the Secret, with stored or new values. Returns undefined for kinds without issued values.
 * `beside`: the remaining data of the Secret.
 */
export async function issuedFor(
  ctx: Observed,
  there: Secret | undefined,
  beside: Values,
): Promise<{ values: Values; labels: Values } | undefined> {
  const { issued } = ctx.kind.secret ?? {};
  if (!issued) return undefined;
  const view = live(ctx);
  const call = issued.request(view);
  const lifeMs = issued.lifeMs(view);
  const labelled = (values: Values, time: number): Values => {
    const sorted = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const digest = digestOf(ctx)(JSON.stringify([call, beside, sorted, time])).slice(0, 32);
    return { [timeLabel]: String(time), [digestLabel]: digest };
  };
  const now = ctx.session.client.serverTime().getTime();
  const noteUntil = (time: number): void => {
    const renewMs = Math.max(0, time + lifeMs * share - now);
    withFacts(ctx, { issued: { expiresAt: new Date(time + lifeMs).toISOString(), renewMs } });
  };
  const issuedAt = Number(there?.metadata.labels?.[timeLabel] ?? Number.NaN);
  const label = there?.metadata.labels?.[digestLabel];
  const isValid = label !== undefined && now < issuedAt + lifeMs * share && issuedAt < now + times.quiet;
  const isIntact = (found: Values) => labelled({ ...beside, ...found }, issuedAt)[digestLabel] === label;
  const found = there && isValid ? valuesIn(there, issued.keys, isIntact) : undefined;
  if (found) {
    const values = { ...beside, ...found };
    noteUntil(issuedAt);
    return { values, labels: labelled(values, issuedAt) };
  }
  await requireApproval(ctx, [call]);
  const answer = await sendChange(ctx, call, { priority: "update", urgent: ctx.urgent });
  const values = { ...beside, ...issued.values(answer) };
  noteUntil(now);
  return { values, labels: labelled(values, now) };
}
