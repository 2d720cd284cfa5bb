/** Files of a command. An interrupted command leaves no partial file. */
import { access, lstat, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Failure } from "./failure.ts";

/**
 * Writes files into a folder. All files are complete in a temporary folder before the first one gets its name, so that an interruption
 * during the writing leaves the folder as it was. Follows no symbolic link below the folder. `signal`: aborts before the files get
 * their names. Removes the temporary folder in every case, before it settles.
 */
export async function writeFiles(
  folder: string,
  files: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<void> {
  try {
    signal.throwIfAborted();
    // Only a folder of the same file system permits a rename.
    const temporary = await mkdtemp(join(await existing(resolve(folder)), ".cloudplatform-"));
    try {
      const written = [...files].map(([name, text], index) => ({
        partial: join(temporary, String(index)),
        name,
        text,
      }));
      await each(written, async ({ partial, text }) => {
        signal.throwIfAborted();
        await writeFile(partial, text);
      });
      signal.throwIfAborted();
      await mkdir(folder, { recursive: true });
      for (const place of placesOf(files.keys())) await makePlace(join(folder, place));
      await each(written, ({ partial, name }) => rename(partial, join(folder, name)));
    } finally {
      await rm(temporary, { recursive: true, force: true });
    }
  } catch (error) {
    if (signal.aborted || error instanceof Failure) throw error;
    const { code = "error", path = folder } = error as NodeJS.ErrnoException;
    throw new Failure(`${path} cannot be written (${code}). Choose another folder with --folder`, { cause: error });
  }
}

/** Returns the path, or the closest folder above it that exists. */
async function existing(path: string): Promise<string> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  return isThere || dirname(path) === path ? path : existing(dirname(path));
}

/** Returns the folders of the names, from the outside. */
function placesOf(names: Iterable<string>): string[] {
  const places = [...names].flatMap((name) => {
    const words = name.split("/").slice(0, -1);
    return words.map((_, index) => words.slice(0, index + 1).join("/"));
  });
  return [...new Set(places)].toSorted();
}

/** Throws `Failure` for a link: a file below it would be outside of the folder. */
async function makePlace(path: string): Promise<void> {
  await mkdir(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
  });
  if ((await lstat(path)).isDirectory()) return;
  throw new Failure(`${path} is no folder. Remove it, or choose another folder with --folder`);
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
