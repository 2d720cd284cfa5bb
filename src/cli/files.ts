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
  const written: { partial: string; path: string }[] = [];
  try {
    for (const [name, text] of files) {
      signal.throwIfAborted();
      const path = join(folder, name);
      const partial = `${path}.partial`;
      await mkdir(dirname(path), { recursive: true });
      written.push({ partial, path });
      await writeFile(partial, text);
    }
    signal.throwIfAborted();
    for (const { partial, path } of written) await rename(partial, path);
  } catch (error) {
    await Promise.all(written.map(({ partial }) => rm(partial, { force: true })));
    if (signal.aborted) throw error;
    const { code = "error", path = folder } = error as NodeJS.ErrnoException;
    throw new Failure(`${path} cannot be written (${code}). Choose another folder with --folder`, { cause: error });
  }
}
