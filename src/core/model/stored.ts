/** Reads and judges the stored record of an object. */
import type { KubeObject } from "../../cluster/types.ts";
import type { Run } from "../kind/status-schema.ts";
import { recordIn, unprovenRecord } from "../kind/record.ts";
import type { Stored } from "../kind/record.ts";
import { statusOf } from "../kind/object.ts";
import type { Environment } from "./environment.ts";
import { provenEntry } from "./journal.ts";

/**
 * Returns the record of an object. A record without a valid signature counts only if the object is older than the installation key
 * and has no journal entry of this key: an administrator replaced the key.
 */
export function storedRecord(
  environment: Pick<Environment, "installationKey" | "installationKeySince">,
  object: KubeObject,
): Stored {
  const { installationKey: key, installationKeySince: since } = environment;
  const text = statusOf(object).record;
  if (text === undefined) return {};
  const proven = recordIn(object, key);
  if (proven) return proven;
  const isYoungerThanKey = since !== undefined && (object.metadata.creationTimestamp ?? "") > since;
  if (isYoungerThanKey || provenEntry(object, key).state === "proven") return {};
  // Without a signature, these values are no evidence: a request without effect, and a deleted cloud object.
  const {
    deletedID: _deleted,
    refusedAttempt: _refused,
    discarded: _discarded,
    run,
    ...believed
  } = unprovenRecord(text) ?? {};
  return { ...believed, run: run && withoutResult(run) };
}

/** Other objects use the result of a run. Without a proof, the operator asks the cloud again. */
function withoutResult({ made, ...run }: Run): Run {
  if (made === undefined || run.result !== "Complete") return run;
  const { result: _result, finishedAt: _finishedAt, ...begun } = run;
  return begun;
}
