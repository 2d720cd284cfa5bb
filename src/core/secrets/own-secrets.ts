/**
 * Writes the Secrets that the operator keeps for the user: generated passwords (generated.ts) and connection data. An
 * ownerReference names the custom resource, so that Kubernetes deletes the Secret together with its owner. The operator
 * never changes a Secret without the ownerReference.
 */
import { createHash } from "node:crypto";
import type { JsonObject } from "../../api/types.ts";
import type { ConfigMap, KubeObject, Secret, SecretWrite } from "../../cluster/types.ts";
import { writtenSecrets } from "../watch/dependents.ts";
import type { Kind } from "../kind/owned.ts";
import { controls, ownerReferenceTo } from "../kind/resource.ts";
import { isKubeError, Stalled } from "../kind/outcome.ts";
import { bytesIn, textIn } from "../kind/secret-value.ts";
import { rehearsed } from "./form.ts";
import type { Found } from "../read/search.ts";
import { fitsRow, shownOnceOf } from "./shown-once.ts";
import type { Connected, Located, Observed, Context } from "../model/context.ts";
import { publishedLabel } from "../kind/annotations.ts";
import { times } from "../kind/times.ts";

/**
 * Returns the label of a published Secret. The label depends on the name, so a copy under another name has a wrong
 * label.
 */
export function published(name: string): Record<string, string> {
  return { [publishedLabel]: createHash("sha256").update(name).digest("hex").slice(0, 16) };
}

export function isPublished({ metadata }: KubeObject): boolean {
  return metadata.labels?.[publishedLabel] === published(metadata.name)[publishedLabel];
}

/** Throws `Stalled` if a Secret that the object will publish belongs to another owner. */
export async function refuseTakenSecrets(ctx: Located): Promise<void> {
  const { metadata } = ctx.object;
  for (const name of writtenSecrets(ctx.kind, { metadata, spec: ctx.spec })) await ownSecret(ctx, name);
}

/**
 * Throws `Stalled` if the API server would refuse the Secret because of its form, a policy or a quota. After the
 * creation, the refusal would lose the values that the cloud API shows only once.
 */
export async function rehearseSecret(ctx: Located): Promise<void> {
  const secret = secretOf(ctx);
  if (!secret?.ofCreation) return;
  const name = secret.name(ctx.desired);
  const there = await ownSecret(ctx, name);
  const { data, type, labels, annotations } = rehearsed(ctx.spec, Object.keys(secret.ofCreation), there);
  const form = { data, labels: { ...labels, ...published(name) }, annotations, ...(type !== undefined && { type }) };
  const owner = ownerReferenceTo(ctx.object);
  const { secrets } = ctx.environment;
  await refusedAs(ctx, { name, there }, () => secrets.rehearse(refTo(ctx, name), { ...form, owner }));
}

/** Returns a value of the creation from a Secret of the object. */
export async function publishedValue(ctx: Observed, key: string): Promise<string | undefined> {
  const secret = secretOf(ctx, ctx.row);
  if (!secret) return undefined;
  return (await shownValues(ctx, ctx, await ownSecret(ctx, secret.name(ctx.desired))))?.[key];
}

/** Returns the Secret to publish for the row, or for a planned creation. */
export function secretOf({ kind, spec }: Located, wire?: JsonObject): Kind["secret"] {
  return (kind.secret?.when?.({ spec, ...(wire && { wire }) }) ?? true) ? kind.secret : undefined;
}

/** Tests if a Secret contains the values that only the creation shows. Returns true if the creation shows no values. */
export async function isPublishedFor(ctx: Located, found: Found): Promise<boolean> {
  const secret = secretOf(ctx, found.row);
  return (
    !secret?.ofCreation || (await shownValues(ctx, found, await ownSecret(ctx, secret.name(ctx.desired)))) !== undefined
  );
}

/**
 * Returns the values that the creation of the cloud object showed, from memory or from a Secret of the object under any
 * name.
 */
export async function shownValues(ctx: Located, found: Found, there: Secret | undefined) {
  const { shown } = ctx.remembered;
  if (shown && shown.id === found.id && fitsRow(ctx.kind, shown.values, found.row)) return shown.values;
  const present = there && shownOnceOf(ctx, found, [there]);
  if (present) return present;
  const former = (await ownedSecrets(ctx)).filter((one) => isPublished(one));
  const read = await Promise.all(former.map(({ metadata }) => ownSecret(ctx, metadata.name)));
  return shownOnceOf(
    ctx,
    found,
    read.filter((one) => one !== undefined),
  );
}

/** Throws `Stalled` if a binary value must be text. `field`: the field of the spec that names the Secret. */
export function refuseBytes(found: ConfigMap, key: string, field?: string): void {
  const { kind, metadata } = found;
  if (textIn(found, key) !== undefined || bytesIn(found, key) === undefined) return;
  const what = `the value of key ${key} in ${kind} ${metadata.name} is not UTF-8 text`;
  throw new Stalled("InvalidSpec", `${field === undefined ? "" : `${field}: `}${what}. Store it as text`);
}

/** Removes the ownerReference from the Secrets of the object, so that the Secrets stay after the deletion. */
export async function releaseSecrets(ctx: Context): Promise<void> {
  for (const { metadata } of await ownedSecrets(ctx)) {
    const ref = { name: metadata.name, namespace: metadata.namespace ?? "" };
    await ctx.environment.secrets.disown(ref, ctx.object.metadata.uid);
  }
}

/** Returns the Secret names in the status. A name can be older than the last change of the spec. */
function namesReported({ status }: KubeObject): string[] {
  const reported = Object.entries(status ?? {}).filter(([field]) => /secretName$/i.test(field));
  return reported.flatMap(([, name]) => (typeof name === "string" ? [name] : []));
}

export async function ownedSecrets({ environment, kind, object }: Context): Promise<KubeObject[]> {
  const { secretCache, secrets } = environment;
  const { namespace = "" } = object.metadata;
  const named = secretCache.isPartial ? [...writtenSecrets(kind, object), ...namesReported(object)] : [];
  for (const name of named) if (!secretCache.get({ namespace, name })) await secrets.metadata({ namespace, name });
  return secretCache.list(namespace).filter((secret) => controls(object, secret));
}

/**
 * Returns the Secret; undefined if the Secret does not exist. Throws `Stalled` if the object does not control the
 * Secret.
 */
export async function ownSecret(ctx: Connected, name: string): Promise<Secret | undefined> {
  const { environment, object } = ctx;
  const namespace = object.metadata.namespace ?? "";
  const secret = await environment.secrets.read({ namespace, name });
  if (!secret) return undefined;
  if (!controls(object, secret)) {
    throw new Stalled(
      "Conflict",
      `Secret ${name} exists and was not created for this object. It is not changed. Rename or delete it, or ${otherName(ctx, name)}`,
    );
  }
  return secret;
}

/**
 * Returns a cure for the message. The object determines the name of a generated Secret, but a user can name a different
 * Secret in the spec.
 */
function otherName({ kind, spec, object }: Connected, name: string): string {
  const [field] =
    Object.entries(kind.references ?? {}).find(
      ([, one]) => "secret" in one && one.generate?.(spec, object.metadata.name)?.name === name,
    ) ?? [];
  return field === undefined ? "choose another name" : `name a Secret of your own in spec.${field}`;
}

interface PublishedPlace {
  name: string;
  there: Secret | undefined;
}

export function refTo({ object }: Connected, name: string) {
  return { namespace: object.metadata.namespace ?? "", name };
}

export async function writeSecret(
  ctx: Connected,
  place: PublishedPlace,
  written: Omit<SecretWrite, "owner">,
): Promise<void> {
  const secret = { ...written, owner: ownerReferenceTo(ctx.object) };
  await refusedAs(ctx, place, () => ctx.environment.secrets.write(refTo(ctx, place.name), secret));
}

/** Converts a permanent refusal (413, 422) to `Stalled`. The form in the spec or the existing Secret is the cause. */
async function refusedAs(
  { spec }: Connected,
  { name, there }: PublishedPlace,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isKubeError(error) || (error.status !== 422 && error.status !== 413)) throw error;
    if (!there && spec["connectionSecret"] !== undefined)
      throw new Stalled(
        "InvalidSpec",
        `spec.connectionSecret: the API server refuses Secret ${name}: ${error.message}. It is not created. Correct the form`,
      );
    throw new Stalled(
      "Conflict",
      `Secret ${name} cannot be updated: ${error.message}. Delete it; the operator creates it again`,
      times.quiet,
    );
  }
}
