/**
 * What the cloud API issues on request and what loses its value in time, as a pre-signed URL. It is in the published Secret
 * alone: labels of the Secret say when it was issued, and by a keyed digest for which request. What was edited, or asked
 * for otherwise, is issued again.
 */
import type { Secret } from "../../cluster/types.ts";
import { sendChange } from "../send/change.ts";
import { requireApproval } from "../send/permission.ts";
import type { Observed } from "../model/context.ts";
import { digestOf, live } from "../model/context.ts";
import { valuesIn } from "../secrets/form.ts";
import type { Values } from "../secrets/form.ts";
import { times } from "../kind/times.ts";

const timeLabel = "cloudplatform.dev/issued-at";
const digestLabel = "cloudplatform.dev/issued-for";

/** The share of its life after which it is issued again. */
const share = 2 / 3;

/**
 * The data of the Secret, with its labels: as it is, or with new values. Undefined for a kind that has none issued.
 * `beside`: what else the Secret holds.
 */
export async function issuedFor(
  at: Observed,
  there: Secret | undefined,
  beside: Values,
): Promise<{ values: Values; labels: Values } | undefined> {
  const { issued } = at.kind.secret ?? {};
  if (!issued) return undefined;
  const view = live(at);
  const call = issued.request(view);
  const lifeMs = issued.lifeMs(view);
  const labelled = (values: Values, time: number): Values => {
    const sorted = Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const digest = digestOf(at)(JSON.stringify([call, beside, sorted, time])).slice(0, 32);
    return { [timeLabel]: String(time), [digestLabel]: digest };
  };
  const now = at.session.client.serverTime().getTime();
  const noteUntil = (time: number): void => {
    const renewMs = Math.max(0, time + lifeMs * share - now);
    at.issued = { expiresAt: new Date(time + lifeMs).toISOString(), renewMs };
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
  await requireApproval(at, [call]);
  const answer = await sendChange(at, call, { priority: "update", urgent: at.urgent });
  const values = { ...beside, ...issued.values(answer) };
  noteUntil(now);
  return { values, labels: labelled(values, now) };
}
