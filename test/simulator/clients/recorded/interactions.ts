import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** One request of a recorded client and the response of the service. The brand word is the service's own. */
export interface Interaction {
  /** Method and path of `endpoints.tsv`, with the neutral word: `GET /compute/instances/{computeId}`. */
  readonly operation: string;
  readonly method: string;
  /** With the version segment and the recorded IDs. */
  readonly path: string;
  readonly query: string;
  /** The `X-Filter` header. */
  readonly filter: string | null;
  readonly body: string;
  readonly status: number;
  /** JSON as text; empty without a body. */
  readonly answer: string;
}

export interface Recording {
  /** The file name without its ending. */
  readonly name: string;
  readonly interactions: readonly Interaction[];
}

/**
 * Reads a folder of recordings: `*.jsonl`, one interaction per line.
 *
 * @throws Error if the folder contains no recording
 */
export function readRecordings(folder: string): Recording[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(".jsonl"));
  if (files.length === 0) throw new Error(`${folder} contains no recording (*.jsonl)`);
  return files.map((file) => ({ name: file.replace(/\.jsonl$/, ""), interactions: readLines(join(folder, file)) }));
}

function readLines(file: string): Interaction[] {
  const lines = readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Interaction);
}

/** Returns the JSON of a text, or undefined if the text is empty or no JSON. */
export function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
