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
export async function publishSecret(ctx: Observed): Promise<void> {
  const secret = secretOf(ctx, ctx.row);
  // The present spec and row do not need a Secret.
  if (!secret && ctx.kind.secret) await removeFormer(ctx);
  if (!secret) return;
  ctx.next.unpublished = secret.ofCreation && ctx.next.adopted ? unpublished(ctx) : "";
  if (ctx.next.unpublished !== "") return;
  const view = live(ctx);
  const answers: Record<string, JsonObject> = {};
  for (const [name, { path, ...shape }] of Object.entries(secret.reads?.(view) ?? {})) {
    const answer = await ctx.session.observer.detail(path, { ...shape, urgent: ctx.urgent });
    if (typeof answer !== "object" || answer === null || Array.isArray(answer)) {
      throw new Waiting("Provisioning", `the cloud API does not return ${name} yet`, times.apply);
    }
    answers[name] = answer;
  }
  const name = secret.name(ctx.desired);
  const there = await ownSecret(ctx, name);
  const shown = secret.ofCreation && (await shownValues(ctx, ctx, there));
  if (secret.ofCreation && !shown) return replaceUnknown(ctx, name);
  const read = secret.data(view, answers);
  const issued = await issuedFor(ctx, there, read);
  const { refusal, ...form } = formed(ctx.spec, issued?.values ?? { ...read, ...shown }, there);
  const own = { ...published(name), ...(shown && shownLabels(ctx, ctx.id, shown)), ...issued?.labels };
  const written = { ...form, labels: { ...form.labels, ...own } };
  if (!there || !isFormed(there, written)) await writeSecret(ctx, { name, there }, written);
  ctx.remembered.shown = undefined;
  await removeFormer(ctx, name);
  if (refusal) throw refusal;
}

/** Publishes the values of the creation before the cloud object is ready. Does not replace lost values. */
export async function moveSecret(ctx: Observed): Promise<void> {
  const secret = secretOf(ctx, ctx.row);
  if (secret?.ofCreation && !ctx.next.adopted && (await isPublishedFor(ctx, ctx))) await publishSecret(ctx);
}

/** Deletes Secrets that the object published under a former name. */
async function removeFormer(ctx: Observed, current?: string): Promise<void> {
  const { environment, object } = ctx;
  const { uid, namespace } = object.metadata;
  for (const secret of await ownedSecrets(ctx)) {
    const { metadata } = secret;
    if (metadata.name === current || !isPublished(secret)) continue;
    await environment.secrets.remove({ name: metadata.name, namespace: namespace ?? "" }, uid);
  }
}
