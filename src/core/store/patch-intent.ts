/** Storing an intent. */
import { intentAnnotation, retryCreateAnnotation } from "../kind/annotations.ts";
import type { Located } from "../model/context.ts";
import { Altered, putFinalizer } from "./finalizer.ts";
import { finalizer } from "../kind/resource.ts";
import { newIntent, signed } from "../model/intent.ts";
import type { Intent } from "../model/intent.ts";
import { store } from "../model/unsent.ts";

type Particulars = Omit<Parameters<typeof newIntent>[2], "collection" | "epoch" | "serial">;

/** Stores a new, signed intent, and the finalizer with it. Throws `KubeError`, and `Waiting` where something else was stored. */
export async function patchIntent(at: Located, particulars: Particulars): Promise<Intent> {
  const { environment, kind, session, collection, identity } = at;
  const serial = (at.intent?.serial ?? 0) + 1;
  const details = { collection: collection.path, epoch: environment.epoch(), serial, ...particulars };
  const intent = newIntent(at.object, identity, details, session.client.serverTime());
  const text = signed(intent, environment.installationKey);
  // What it is based on counts until it is stored: it may be stored in part, or its response be lost.
  if (at.intent) at.remembered.intent = at.intent;
  else if (!at.object.metadata.finalizers?.includes(finalizer)) at.remembered.unstored = true;
  const annotations = { [intentAnnotation]: text, [retryCreateAnnotation]: null };
  try {
    const write = () => putFinalizer(environment, kind, at.object, annotations);
    at.object = await store(at.remembered, intent.attempt, write);
  } catch (error) {
    if (error instanceof Altered) takeBack(at, intent, text, error);
    throw error;
  }
  at.remembered.unstored = undefined;
  at.remembered.intent = intent;
  at.intent = intent;
  at.statement = { state: "proven", intent };
  return intent;
}

/** Nothing leaves for this attempt, though the object may say so. */
function takeBack(at: Located, { attempt }: Intent, text: string, { written }: Altered): void {
  at.object = written;
  if (written.metadata.annotations?.[intentAnnotation] === text) at.remembered.refusedAttempt = attempt;
}
