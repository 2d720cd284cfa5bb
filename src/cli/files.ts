/** Files of a command. An interrupted command leaves no partial file. */
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Failure } from "./failure.ts";

/**
 * Writes files into a folder. All files are complete before the first one gets its name, so that an interruption during the writing
 * leaves the folder as it was. `signal`: aborts before the files get their names.
 */
export async function writeFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const written = [...files].map(([name, text]) => {
    const path = join(folder, name);
    return { partial: `${path}.partial`, path, text };
  });
  try {
    for (const place of new Set(written.map(({ path }) => dirname(path)))) await mkdir(place, { recursive: true });
    await each(written, async ({ partial, text }) => {
      signal.throwIfAborted();
      await writeFile(partial, text);
    });
    signal.throwIfAborted();
    await each(written, ({ partial, path }) => rename(partial, path));
  } catch (error) {
    await each(written, ({ partial }) => rm(partial, { force: true }));
    if (signal.aborted) throw error;
    const { code = "error", path = folder } = error as NodeJS.ErrnoException;
    throw new Failure(`${path} cannot be written (${code}). Choose another folder with --folder`, { cause: error });
  }
}

/** Files that are open at the same time. */
const together = 16;

/** Handles all items, a few at the same time. Waits for all, also after a failure. */
async function each<T>(items: readonly T[], handle: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const workers = Array.from({ length: together }, async () => {
    for (const item of left) await handle(item);
  });
  const results = await Promise.allSettled(workers);
  const failed = results.find((one) => one.status === "rejected");
  if (failed) throw failed.reason;
}
