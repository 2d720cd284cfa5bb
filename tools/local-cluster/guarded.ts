import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";

/** Ends our children and removes our folder even when we are killed without a chance to do so ourselves. */
export interface Guard {
  watch(pid: number): void;
  release(pid: number): void;
  /** Removes the folder and ends the guard; children must have been stopped before. */
  close(): Promise<void>;
}

/** Starts the guard: a small process of its own that waits for the end of a pipe only we hold open. */
export function startGuard(folder: string): Guard {
  const child = spawn(process.execPath, [join(import.meta.dirname, "guard.ts"), folder], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const closed = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  // A guard that died must not take us with it.
  child.stdin.on("error", () => undefined);
  child.unref();
  return {
    watch: (pid) => void child.stdin.write(`+${pid}\n`),
    release: (pid) => void child.stdin.write(`-${pid}\n`),
    async close() {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      child.ref();
      child.stdin.end();
      await closed;
    },
  };
}
