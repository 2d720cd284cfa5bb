import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readRecordings } from "./interactions.ts";
import { replay } from "./replay.ts";
import { unreadableRows } from "./rows.ts";
import { judgeReplay, readReasons } from "./verdict.ts";
import type { Verdict } from "./verdict.ts";

/** The brand word of the service that was recorded. */
const BRAND_WORD = "linode";

/**
 * Replays a folder of recorded interactions against the simulator, and reads every recorded row with the operator's schemas.
 *
 * @throws Error if the folder contains no recording
 */
export async function runRecorded(folder: string): Promise<Verdict> {
  const recordings = readRecordings(folder);
  const table = (name: string) => readReasons(readFileSync(join(import.meta.dirname, name), "utf8"));
  const accepted = { documented: table("documented.tsv"), reasons: table("reasons.tsv") };
  const { lines, good } = judgeReplay(await replay(recordings, BRAND_WORD), accepted);
  const unreadable = unreadableRows(recordings, BRAND_WORD);
  const rows = unreadable.map(
    ({ kind, operation, why, recording }) => `UNREADABLE ${kind}, ${operation}: ${why} (${recording})`,
  );
  return {
    lines: [...lines, `${rows.length} recorded rows cannot be read by the operator`, ...rows],
    good: good && rows.length === 0,
  };
}
