/** Storing an intent. */
import type { Located } from "../flow/reconciliation.ts";
import { putFinalizer } from "../custody/finalizer.ts";
import { intentAnnotation, newIntent, retryCreateAnnotation, signed } from "./intent.ts";
import type { Intent } from "./intent.ts";

type Particulars = Omit<Parameters<typeof newIntent>[2], "collection" | "epoch" | "serial">;

/** Stores a new, signed intent, and the finalizer with it. Throws `KubeError`. */
export async function patchIntent(at: Located, particulars: Particulars): Promise<Intent> {
  const { environment, kind, session, collection, identity } = at;
  const serial = (at.intent?.serial ?? 0) + 1;
  const details = { collection: collection.path, epoch: environment.epoch(), serial, ...particulars };
  const intent = newIntent(at.object, identity, details, session.client.serverTime());
  const text = signed(intent, environment.installationKey);
  at.object = await putFinalizer(environment, kind, at.object, {
    [intentAnnotation]: text,
    [retryCreateAnnotation]: null,
  });
  at.remembered.intent = intent;
  at.intent = intent;
  at.statement = { state: "proven", intent };
  return intent;
}
