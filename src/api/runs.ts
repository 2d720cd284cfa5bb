import { randomInt } from "node:crypto";

/** So many characters in a row are in no two texts by chance; fewer, also encoded, are found in what is no secret. */
export const shortestRun = 8;

/** Where a hash begins, so that nobody can write runs of which all have one. */
const seed = randomInt(2 ** 32);

/**
 * Whether one of the texts has a run of `shortestRun` characters. A table of where each run is first answers at once: user data
 * has up to 64 KiB, and an answer of the cloud thousands of runs.
 */
export function createRuns(texts: string[]): (run: string) => boolean {
  // No text has it, and so no run goes from one into the next.
  const all = texts.join("\0");
  // Half of it stays free.
  const table = new Int32Array(2 ** Math.ceil(Math.log2(2 * all.length + 2)));
  /** The place in the table of the run that begins at `at`, or where it would be. */
  const placeOf = (text: string, at: number): number => {
    let place = hashAt(text, at) & (table.length - 1);
    for (let known = table[place]; known; known = table[place]) {
      if (isSame(all, known - 1, text, at)) return place;
      place = (place + 1) & (table.length - 1);
    }
    return place;
  };
  for (let at = 0; at + shortestRun <= all.length; at += 1) {
    const place = placeOf(all, at);
    if (table[place] === 0) table[place] = at + 1;
  }
  return (run) => run.length >= shortestRun && table[placeOf(run, 0)] !== 0;
}

function isSame(one: string, from: number, other: string, at: number): boolean {
  for (let index = 0; index < shortestRun; index += 1)
    if (one.charCodeAt(from + index) !== other.charCodeAt(at + index)) return false;
  return true;
}

/** FNV-1a of the run that begins there, whose last bits depend on all others. */
function hashAt(text: string, at: number): number {
  let hash = seed;
  for (let index = at; index < at + shortestRun; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
  return hash ^ (hash >>> 15);
}
