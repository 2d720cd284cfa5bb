import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Removes what builds and downloads of a run that was killed left in a folder; only the holder of its lock may do so. */
export function removeScratch(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => /^\.(build|download)-/.test(each)))
    rmSync(join(folder, name), { recursive: true, force: true });
}
