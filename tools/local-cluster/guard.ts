/**
 * Reads `+pid` and `-pid` lines; when the input ends, whoever started this is gone: the process groups still listed are
 * killed and the folder named as argument is removed.
 */
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";

const folder = process.argv[2];
const watched = new Set<number>();

for await (const line of createInterface({ input: process.stdin })) {
  const pid = Number(line.slice(1));
  if (line.startsWith("+") && pid > 0) watched.add(pid);
  else watched.delete(pid);
}
for (const pid of watched) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
