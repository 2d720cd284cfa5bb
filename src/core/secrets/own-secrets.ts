/**
 * Secrets that the operator keeps for the user: generated passwords (generated.ts) and connection data. They belong to the object
 * (ownerReference), so that they go with it; a Secret that does not is the user's own and never touched.
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
import { fitsRow, shownOf } from "./shown-once.ts";
import type { Connected, Located, Observed, Reconciliation } from "../model/context.ts";
import { publishedLabel } from "../kind/annotations.ts";
import { times } from "../kind/times.ts";

/** A copy that a person made carries the label of the original, which shows that it is not ours. */
export function published(name: string): Record<string, string> {
  return { [publishedLabel]: createHash("sha256").update(name).digest("hex").slice(0, 16) };
}

export function isPublished({ metadata }: KubeObject): boolean {
  return metadata.labels?.[publishedLabel] === published(metadata.name)[publishedLabel];
}

/** Throws `Stalled` where a Secret that will be written for this object belongs to somebody else. */
export async function refuseTakenSecrets(at: Located): Promise<void> {
  const { metadata } = at.object;
  for (const name of writtenSecrets(at.kind, { metadata, spec: at.spec })) await ownSecret(at, name);
}

/**
 * Throws `Stalled` where the API server would not take the Secret with what the creation shows once: by its form, a policy
 * or a quota. Afterwards it would be too late.
 */
export async function rehearseSecret(at: Located): Promise<void> {
  const secret = secretOf(at);
  if (!secret?.ofCreation) return;
  const name = secret.name(at.wanted);
  const there = await ownSecret(at, name);
  const { data, type, labels, annotations } = rehearsed(at.spec, Object.keys(secret.ofCreation), there);
  const form = { data, labels: { ...labels, ...published(name) }, annotations, ...(type !== undefined && { type }) };
  const owner = ownerReferenceTo(at.object);
  const { secrets } = at.environment;
  await refusedAs(at, { name, there }, () => secrets.rehearse(refTo(at, name), { ...form, owner }));
}

/** What the creation showed under this key, where a Secret of the object still holds it. */
export async function publishedValue(at: Observed, key: string): Promise<string | undefined> {
  const secret = secretOf(at, at.row);
  if (!secret) return undefined;
  return (await shownValues(at, at, await ownSecret(at, secret.name(at.wanted))))?.[key];
}

/** What is to be published of this row, or of what is about to be created. */
export function secretOf({ kind, spec }: Located, wire?: JsonObject): Kind["secret"] {
  return (kind.secret?.when?.({ spec, ...(wire && { wire }) }) ?? true) ? kind.secret : undefined;
}

/** True where nothing is lost with the response to the creation: the Secret holds what it showed, or it showed nothing. */
export async function isPublishedFor(at: Located, found: Found): Promise<boolean> {
  const secret = secretOf(at, found.row);
  return (
    !secret?.ofCreation || (await shownValues(at, found, await ownSecret(at, secret.name(at.wanted)))) !== undefined
  );
}

/** What the creation of this cloud object showed, as this process knows it, or a Secret of this object under any name. */
export async function shownValues(at: Located, found: Found, there: Secret | undefined) {
  const { shown } = at.remembered;
  if (shown && shown.id === found.id && fitsRow(at.kind, shown.values, found.row)) return shown.values;
  const present = there && shownOf(at, found, [there]);
  if (present) return present;
  const former = (await ownedSecrets(at)).filter((one) => isPublished(one));
  const read = await Promise.all(former.map(({ metadata }) => ownSecret(at, metadata.name)));
  return shownOf(
    at,
    found,
    read.filter((one) => one !== undefined),
  );
}

/** Throws where text is needed and the value is none: `field` of the spec names the Secret, or the operator does. */
export function refuseBytes(found: ConfigMap, key: string, field?: string): void {
  const { kind, metadata } = found;
  if (textIn(found, key) !== undefined || bytesIn(found, key) === undefined) return;
  const what = `the value of key ${key} in ${kind} ${metadata.name} is not UTF-8 text`;
  throw new Stalled("InvalidSpec", `${field === undefined ? "" : `${field}: `}${what}. Store it as text`);
}

/** Lets go of the Secrets that this object owns, so that they outlive it. */
export async function releaseSecrets(at: Reconciliation): Promise<void> {
  for (const { metadata } of await ownedSecrets(at)) {
    const ref = { name: metadata.name, namespace: metadata.namespace ?? "" };
    await at.environment.secrets.disown(ref, at.object.metadata.uid);
  }
}

/** Names of Secrets in the status: one of them may be that of before the last change. */
function namesReported({ status }: KubeObject): string[] {
  const reported = Object.entries(status ?? {}).filter(([field]) => /secretName$/i.test(field));
  return reported.flatMap(([, name]) => (typeof name === "string" ? [name] : []));
}

/** Metadata of the Secrets that this object controls. */
export async function ownedSecrets({ environment, kind, object }: Reconciliation): Promise<KubeObject[]> {
  const { secretCache, secrets } = environment;
  const { namespace = "" } = object.metadata;
  const named = secretCache.isPartial ? [...writtenSecrets(kind, object), ...namesReported(object)] : [];
  for (const name of named) if (!secretCache.get({ namespace, name })) await secrets.metadata({ namespace, name });
  return secretCache.list(namespace).filter((secret) => controls(object, secret));
}

/** Undefined where there is none. Throws `Stalled` for one that is not this object's. */
export async function ownSecret(at: Connected, name: string): Promise<Secret | undefined> {
  const { environment, object } = at;
  const namespace = object.metadata.namespace ?? "";
  const secret = await environment.secrets.read({ namespace, name });
  if (!secret) return undefined;
  if (!controls(object, secret)) {
    throw new Stalled(
      "Conflict",
      `Secret ${name} exists and was not created for this object. It is not changed. Rename or delete it, or ${otherName(at, name)}`,
    );
  }
  return secret;
}

/** A Secret that is generated has the name that the object gives it; another one may be named in its place. */
function otherName({ kind, spec, object }: Connected, name: string): string {
  const [field] =
    Object.entries(kind.references ?? {}).find(
      ([, one]) => "secret" in one && one.generate?.(spec, object.metadata.name)?.name === name,
    ) ?? [];
  return field === undefined ? "choose another name" : `name a Secret of your own in spec.${field}`;
}

interface Place {
  name: string;
  there: Secret | undefined;
}

export function refTo({ object }: Connected, name: string) {
  return { namespace: object.metadata.namespace ?? "", name };
}

export async function writeSecret(at: Connected, place: Place, written: Omit<SecretWrite, "owner">): Promise<void> {
  const secret = { ...written, owner: ownerReferenceTo(at.object) };
  await refusedAs(at, place, () => at.environment.secrets.write(refTo(at, place.name), secret));
}

/** What the API server refuses for good is a matter of the Secret that is there, or of the form that the spec gives it. */
async function refusedAs({ spec }: Connected, { name, there }: Place, work: () => Promise<unknown>): Promise<void> {
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
