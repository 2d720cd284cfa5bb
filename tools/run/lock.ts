import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Runs `work` while this process alone holds the lock file. Whoever comes second waits until the first is done;
 * the lock of a process that no longer runs is taken over.
 *
 * @param waiting called once, with the id of the process that holds the lock
 */
export async function withLock<T>(path: string, waiting: (pid: number) => void, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true });
  for (let told = false; !taken(path);) {
    const holder = Number(readOrEmpty(path));
    if (holder > 0 && !runs(holder)) {
      rmSync(path, { force: true });
      continue;
    }
    if (!told) waiting(holder);
    told = true;
    await sleep(500);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function taken(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function runs(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
