/** How long what the cloud API refused for now is not sent again, whatever wakes its object: its own records do so at once. */
import type { HttpError } from "../../api/errors.ts";
import { isFinal } from "./operation.ts";
import type { Reconciliation } from "./reconciliation.ts";

/** Twice as long each time, milliseconds. */
const firstPauseMs = 5_000;
const lastPauseMs = 60_000;

export function noteRefusal({ environment, remembered }: Reconciliation, id: string, error: HttpError): void {
  const before = remembered.refusedRun?.pauseMs ?? firstPauseMs / 2;
  const pauseMs = Math.min(lastPauseMs, before * 2);
  remembered.refusedRun = { id, at: environment.clock.now(), pauseMs, error };
}

/** Throws the refusal again while that lasts. One that was for good is here only where the row showed why, which is waited for. */
export function keepPause({ environment, remembered: { refusedRun: last } }: Reconciliation): undefined {
  if (last && !isFinal(last.error) && environment.clock.now() < last.at + last.pauseMs) throw last.error;
}
