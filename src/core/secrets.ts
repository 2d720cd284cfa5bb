/**
 * Secrets that the operator keeps for the user: generated passwords and connection data. They belong to the object
 * (ownerReference), so that they go with it; a Secret that does not is the user's own and never touched.
 */
import { randomInt } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { JsonObject } from "../api/types.ts";
import type { Secret } from "../cluster/types.ts";
import { ownerReferenceTo } from "./environment.ts";
import { Stalled, Waiting } from "./outcome.ts";
import type { Connected, Observed, Reconciliation } from "./reconciliation.ts";
import { live } from "./reconciliation.ts";

/** The value of a generated Secret; made and stored at the first call, so that it exists before it is used. */
export async function generatedSecret(at: Connected, { name, key }: { name: string; key: string }): Promise<string> {
  const there = await ownSecret(at, name);
  const value = there?.data[key];
  if (value !== undefined) return value;
  const password = generatePassword();
  await writeSecret(at, name, { [key]: password });
  return password;
}

/** Brings the published Secret of an object up to date; one write where something differs, none otherwise. */
export async function publishSecret(at: Observed): Promise<void> {
  const { publish } = at.kind;
  if (!publish) return;
  const view = live(at);
  const answers: Record<string, JsonObject> = {};
  for (const [name, path] of Object.entries(publish.reads(view))) {
    const answer = await at.session.observer.detail(path, { urgent: at.urgent });
    if (typeof answer !== "object" || answer === null || Array.isArray(answer)) {
      throw new Waiting("Provisioning", `the service has no ${name} yet`, 10_000);
    }
    answers[name] = answer;
  }
  const name = publish.name(at.wanted);
  const data = publish.data(view, answers);
  const there = await ownSecret(at, name);
  if (there && isDeepStrictEqual(there.data, data)) return;
  await writeSecret(at, name, data);
}

/** Lets go of the Secrets that this object owns, so that they outlive it. */
export async function releaseSecrets(at: Reconciliation): Promise<void> {
  const { secretCache, secrets } = at.environment;
  const { uid, namespace } = at.object.metadata;
  const owned = secretCache
    .list(namespace)
    .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
  for (const { metadata } of owned) {
    await secrets.disown({ name: metadata.name, namespace: metadata.namespace ?? "" }, uid);
  }
}

async function ownSecret({ environment, object }: Connected, name: string): Promise<Secret | undefined> {
  const namespace = object.metadata.namespace ?? "";
  const secret = await environment.secrets.read({ namespace, name });
  if (!secret) return undefined;
  if (!secret.metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid)) {
    throw new Stalled(
      "Conflict",
      `Secret ${name} exists and was not made for this object; rename or delete it, or choose another name`,
    );
  }
  return secret;
}

async function writeSecret(
  { environment, object }: Connected,
  name: string,
  data: Record<string, string>,
): Promise<void> {
  const ref = { namespace: object.metadata.namespace ?? "", name };
  await environment.secrets.write(ref, { data, owner: ownerReferenceTo(object) });
}

/** 32 characters with at least one of each class that the service's strength test asks for. */
function generatePassword(): string {
  const classes = ["abcdefghijkmnopqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ", "23456789", "-_.+="] as const;
  const pick = (from: string): string => from.charAt(randomInt(from.length));
  const letters = Array.from({ length: 32 }, (_, index) => pick(classes[index] ?? classes.join("")));
  for (let last = letters.length - 1; last > 0; last -= 1) {
    const other = randomInt(last + 1);
    [letters[last], letters[other]] = [letters[other] ?? "", letters[last] ?? ""];
  }
  return letters.join("");
}
