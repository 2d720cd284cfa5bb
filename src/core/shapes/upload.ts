/**
 * Streams data from a permitted source to the URL in the Secret of an object. An upload runs in parallel with the
 * reconciles of its object.
 *
 * Guarantees: the operator reads only permitted sources, and creates no cloud object for other sources. An interrupted
 * upload starts again from the beginning, also after a restart. An upload ends soon after its object no longer needs
 * the data.
 */
import { specOf } from "../kind/object.ts";
import { publishedValue } from "../secrets/own-secrets.ts";
import { isHttpError, Stalled, Waiting } from "../kind/outcome.ts";
import type { Upload } from "../kind/owned.ts";
import { refOf } from "../kind/resource.ts";
import { announce } from "../store/announce.ts";
import { isPresent } from "../model/environment.ts";
import { sendData } from "../send/change.ts";
import { refuseReadOnly } from "../send/permission.ts";
import type { Connected, Observed } from "../model/context.ts";
import { times } from "../kind/times.ts";

/** Most uploads of an account at the same time. Slow sources must not delay other accounts. */
const mostUploads = 4;

/** Throws `Stalled` if the operator must not read from the source in the spec. */
export function refuseSource({ kind, spec, environment }: Connected): void {
  const source = kind.upload?.from(spec);
  if (!source) return;
  const { origin } = new URL(source.url);
  if (environment.imageSources.includes(origin)) return;
  const permitted = environment.imageSources.length > 0 ? environment.imageSources.join(", ") : "none";
  throw new Stalled(
    "NotPermitted",
    `spec.${source.field}: the operator does not read from ${origin}. The operator sends nothing. Permitted are: ${permitted}. The administrator of the operator can permit it with the value imageSources of the chart`,
  );
}

/** Starts an upload if the row waits for data. Throws `Waiting` during the upload and after a failure. */
export async function keepUpload(ctx: Observed): Promise<void> {
  const { kind, spec, row, environment, object, remembered } = ctx;
  const { upload } = kind;
  const source = upload?.from(spec);
  if (!upload || !source || ctx.next.adopted || !upload.awaited(row)) return;
  refuseSource(ctx);
  const name = sourceName(source.url);
  refuseReadOnly(ctx, `the data of ${name} is not sent`);
  if (environment.uploads.has(object.metadata.uid)) throw waiting(`the data of ${name} is being sent`, 60_000);
  const last = remembered.upload?.id === ctx.id ? remembered.upload : undefined;
  if (last) {
    const leftMs = last.at + last.pauseMs - environment.clock.now();
    if (leftMs > 0) throw waiting(last.message, leftMs);
  }
  const url = await publishedValue(ctx, upload.key);
  if (url === undefined) return;
  // No `await` follows. Otherwise another upload could start in between.
  if ([...environment.uploads.values()].filter((one) => one === ctx.session.account).length >= mostUploads)
    throw waiting(`waiting to send the data of ${name}: other uploads of this account are under way`, 15_000);
  beginUpload(ctx, upload, { from: source.url, to: url });
  throw waiting(`the data of ${name} is being sent`, 60_000);
}

function waiting(message: string, afterMs: number): Waiting {
  return new Waiting("WaitingForUpload", message, afterMs, { byItself: true });
}

/** Returns the URL without the query, which can contain a signature. */
function sourceName(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function beginUpload(ctx: Observed, upload: Upload, { from, to }: { from: string; to: string }): void {
  const { environment, object, session, id } = ctx;
  const { uid } = object.metadata;
  environment.uploads.set(uid, session.account);
  const { signal, end } = whileMeant(ctx);
  const send = async (): Promise<void> => {
    const { content, length: contentLength } = await environment.readSource(from, { ...upload, signal });
    const { contentType } = upload;
    const sized = contentLength !== undefined && { contentLength };
    await sendData(ctx, to, { content, contentType, ...sized, signal });
  };
  void send()
    .then(
      () => {
        noteUpload(ctx, `the data of ${sourceName(from)} was sent; waiting for the cloud to accept it`, times.history);
        const text = `Sent the data of ${sourceName(from)}`;
        announce(environment, object, { type: "Normal", reason: "Uploaded", action: "Upload", note: text, id });
      },
      (error: unknown) => {
        // The cause contains the error of the source.
        const { cause = error } = error as Error;
        const text = error instanceof Error ? error.message : "an unknown error";
        const why = isHttpError(cause) ? `the read request ${cause.what}` : text;
        if (!isStillNeeded(ctx)) return;
        const message = `the data of ${sourceName(from)} was not sent: ${why}. It is asked for again at growing intervals. Correct what is at the URL, or create this object again with another one`;
        noteUpload(ctx, message, undefined);
        announce(environment, object, { type: "Warning", reason: "UploadFailed", action: "Upload", note: message, id });
      },
    )
    .finally(() => {
      end();
      environment.uploads.delete(uid);
      environment.enqueue(ctx.key, { cause: "cloud" });
    });
}

/** Records the outcome of an upload. `pauseMs` undefined: the upload failed. */
function noteUpload({ environment, object, id }: Observed, message: string, pauseMs: number | undefined): void {
  if (!isPresent(environment, object)) return;
  const remembered = environment.memory.of(object.metadata.uid);
  const before = remembered.upload?.id === id ? remembered.upload.pauseMs : times.short / 2;
  const pause = pauseMs ?? Math.min(times.hour, before * 2);
  remembered.upload = { id, at: environment.clock.now(), pauseMs: pause, message };
}

/**
 * Returns a signal that aborts two seconds after the object no longer needs its data. `end` must be called after the
 * upload: the abort closes the connection to the source if no data was sent.
 */
function whileMeant(ctx: Observed): { signal: AbortSignal; end: () => void } {
  const { clock } = ctx.environment;
  const controller = new AbortController();
  const look = (): void => {
    if (isStillNeeded(ctx)) cancel = clock.schedule(times.soon, look);
    else controller.abort(new Error("its object does not need the data any more"));
  };
  let cancel = clock.schedule(times.soon, look);
  const end = (): void => {
    cancel();
    controller.abort(new Error("the upload ended"));
  };
  return { signal: controller.signal, end };
}

/** Returns false if the object is absent, deleting, paused or observing. */
function isStillNeeded({ environment, object }: Observed): boolean {
  const now = environment.caches.get(object.kind)?.get(refOf(object));
  if (now?.metadata.uid !== object.metadata.uid || now.metadata.deletionTimestamp !== undefined) return false;
  const { policy } = specOf(now).management ?? {};
  return policy !== "Paused" && policy !== "Observe";
}
