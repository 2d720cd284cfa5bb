/** So many characters in a row are in no two texts by chance; fewer, also encoded, are found in what is no secret. */
export const shortestRun = 8;

/**
 * Whether one of the texts has a run of `shortestRun` characters. A table of hashes answers for most that none has: user data has
 * up to 64 KiB, and an answer of the cloud fifty texts.
 */
export function createRuns(texts: string[]): (run: string) => boolean {
  // No text has it, and so no run goes from one into the next.
  const all = texts.join("\0");
  const bits = new Uint32Array(2 ** Math.ceil(Math.log2(all.length / 4 + 2)));
  const last = bits.length * 32 - 1;
  for (let at = 0; at + shortestRun <= all.length; at += 1) {
    const bit = hashAt(all, at) & last;
    bits[bit >>> 5] = (bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
  }
  let found = -1;
  return (run) => {
    // An echo goes on as the secret does.
    if (found >= 0 && all.startsWith(run, found + 1)) {
      found += 1;
      return true;
    }
    const bit = hashAt(run, 0) & last;
    found = ((bits[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0 ? -1 : all.indexOf(run);
    return found >= 0;
  };
}

/** FNV-1a of the run that begins there. */
function hashAt(text: string, at: number): number {
  let hash = 0x81_1c_9d_c5;
  for (let index = at; index < at + shortestRun; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93);
  return hash;
}
