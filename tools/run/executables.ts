import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** Whether this user may run the file. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Path of the first of these programs that is on the PATH; the programs' order goes before that of the folders. */
export function onPath(programs: string[], environment: NodeJS.ProcessEnv): string | undefined {
  const folders = (environment["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return programs.flatMap((program) => folders.map((folder) => join(folder, program))).find(isExecutable);
}
