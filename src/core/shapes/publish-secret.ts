/** Keeps the published Secret of an object up to date: connection data, values of the creation, and values that expire. */
import type { JsonObject } from "../../api/types.ts";
import { Waiting } from "../kind/outcome.ts";
import type { Observed } from "../model/context.ts";
import { live } from "../model/context.ts";
import { formed, isFormed } from "../secrets/form.ts";
import {
  isPublished,
  isPublishedFor,
  ownedSecrets,
  ownSecret,
  published,
  secretOf,
  shownValues,
  writeSecret,
} from "../secrets/own-secrets.ts";
import { shownLabels, unpublished } from "../secrets/shown-once.ts";
import { issuedFor } from "./issued.ts";
import { replaceUnknown } from "./replace-unknown.ts";
import { times } from "../kind/times.ts";

/** Updates the published Secret of an object. Writes only if a value differs. */
export async function publishSecret(at: Observed): Promise<void> {
  const secret = secretOf(at, at.row);
  // The present spec and row do not need a Secret.
  if (!secret && at.kind.secret) await removeFormer(at);
  if (!secret) return;
  at.next.unpublished = secret.ofCreation && at.next.adopted ? unpublished(at) : "";
  if (at.next.unpublished !== "") return;
  const view = live(at);
  const answers: Record<string, JsonObject> = {};
  for (const [name, { path, ...shape }] of Object.entries(secret.reads?.(view) ?? {})) {
    const answer = await at.session.observer.detail(path, { ...shape, urgent: at.urgent });
    if (typeof answer !== "object" || answer === null || Array.isArray(answer)) {
      throw new Waiting("Provisioning", `the cloud API does not return ${name} yet`, times.apply);
    }
    answers[name] = answer;
  }
  const name = secret.name(at.wanted);
  const there = await ownSecret(at, name);
  const shown = secret.ofCreation && (await shownValues(at, at, there));
  if (secret.ofCreation && !shown) return replaceUnknown(at, name);
  const read = secret.data(view, answers);
  const issued = await issuedFor(at, there, read);
  const { refusal, ...form } = formed(at.spec, issued?.values ?? { ...read, ...shown }, there);
  const own = { ...published(name), ...(shown && shownLabels(at, at.id, shown)), ...issued?.labels };
  const written = { ...form, labels: { ...form.labels, ...own } };
  if (!there || !isFormed(there, written)) await writeSecret(at, { name, there }, written);
  at.remembered.shown = undefined;
  await removeFormer(at, name);
  if (refusal) throw refusal;
}

/** Publishes the values of the creation before the cloud object is ready. Does not replace lost values. */
export async function moveSecret(at: Observed): Promise<void> {
  const secret = secretOf(at, at.row);
  if (secret?.ofCreation && !at.next.adopted && (await isPublishedFor(at, at))) await publishSecret(at);
}

/** Deletes Secrets that the object published under a former name. */
async function removeFormer(at: Observed, current?: string): Promise<void> {
  const { environment, object } = at;
  const { uid, namespace } = object.metadata;
  for (const secret of await ownedSecrets(at)) {
    const { metadata } = secret;
    if (metadata.name === current || !isPublished(secret)) continue;
    await environment.secrets.remove({ name: metadata.name, namespace: namespace ?? "" }, uid);
  }
}
