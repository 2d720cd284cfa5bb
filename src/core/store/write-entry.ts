/** Stores a journal entry. */
import { journalAnnotation, retryCreateAnnotation } from "../kind/annotations.ts";
import type { Located } from "../model/context.ts";
import { Altered, putFinalizer } from "./finalizer.ts";
import { finalizer } from "../kind/resource.ts";
import { newEntry, entryText } from "../model/journal.ts";
import type { JournalEntry } from "../model/journal.ts";
import { noteNoEffect } from "../model/attempt.ts";
import { store } from "../model/unsent.ts";

type Particulars = Omit<Parameters<typeof newEntry>[2], "collection" | "epoch" | "serial">;

/** Stores a new, signed journal entry and the finalizer in one request. Throws `KubeError`, and `Waiting` if a webhook altered the write. */
export async function writeEntry(ctx: Located, particulars: Particulars): Promise<JournalEntry> {
  const { environment, kind, session, collection, identity } = ctx;
  const serial = (ctx.entry?.serial ?? 0) + 1;
  const details = { collection: collection.path, epoch: environment.epoch(), serial, ...particulars };
  const entry = newEntry(ctx.object, identity, details, session.client.serverTime());
  const text = entryText(entry, environment.installationKey);
  // The former entry counts until the API server confirms the new one. The response can be lost, or the write altered.
  if (ctx.entry) ctx.remembered.entry = ctx.entry;
  else if (!ctx.object.metadata.finalizers?.includes(finalizer)) ctx.remembered.unstored = true;
  const annotations = { [journalAnnotation]: text, [retryCreateAnnotation]: null };
  try {
    const write = () => putFinalizer(environment, kind, ctx.object, annotations);
    ctx.object = await store(ctx.remembered, entry.attempt, write);
  } catch (error) {
    if (error instanceof Altered) takeBack(ctx, entry, text, error);
    throw error;
  }
  ctx.remembered.unstored = undefined;
  ctx.remembered.entry = entry;
  ctx.entry = entry;
  ctx.statement = { state: "proven", entry };
  return entry;
}

/** Ends an attempt whose stored entry was altered. The operator sends no request for the attempt. */
function takeBack(ctx: Located, { attempt }: JournalEntry, text: string, { written }: Altered): void {
  ctx.object = written;
  if (written.metadata.annotations?.[journalAnnotation] === text) noteNoEffect(ctx.remembered, attempt, "prepared");
}
