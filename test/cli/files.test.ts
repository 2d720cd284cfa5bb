import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { writeFiles } from "../../src/cli/files.ts";
import { folderOfTest } from "./run.ts";

const files = new Map(Array.from({ length: 400 }, (_, at) => [`area/${at}.yaml`, `text ${at}\n`.repeat(1_000)]));

let above: string;
beforeEach(() => {
  above = folderOfTest();
});

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
}

/** Aborts as soon as a file or folder appears in the folder. */
function abortedAt(folder: string): AbortSignal {
  const interrupted = new AbortController();
  const watcher = watch(folder, () => interrupted.abort(new Error("interrupted")));
  onTestFinished(() => watcher.close());
  return interrupted.signal;
}

describe("files of a command", () => {
  const never = new AbortController().signal;

  it("are complete, without temporary files", async () => {
    const folder = join(above, "new", "out");
    await writeFiles(folder, files, never);
    expect(filesIn(above)).toHaveLength(files.size + 3);
    expect(readFileSync(join(folder, "area", "7.yaml"), "utf8")).toBe(files.get("area/7.yaml"));
  });

  it("are absent after an interruption, with their temporary files, when the promise settles", async () => {
    const signal = abortedAt(above);
    await expect(writeFiles(join(above, "out"), files, signal)).rejects.toThrow("interrupted");
    expect(filesIn(above)).toEqual([]);
  });

  it("stay as they were after an interruption", async () => {
    mkdirSync(join(above, "area"));
    writeFileSync(join(above, "area", "7.yaml"), "old");
    await expect(writeFiles(above, files, abortedAt(above))).rejects.toThrow("interrupted");
    expect(filesIn(above)).toEqual(["area", "area/7.yaml"]);
    expect(readFileSync(join(above, "area", "7.yaml"), "utf8")).toBe("old");
  });

  it("are not written through a link to a folder", async () => {
    const folder = join(above, "out");
    const other = join(above, "other");
    mkdirSync(folder);
    mkdirSync(other);
    symlinkSync(other, join(folder, "area"));
    await expect(writeFiles(folder, files, never)).rejects.toThrow(`${join(folder, "area")} is no folder`);
    expect(filesIn(above)).toEqual(["other", "out", "out/area"]);
  });

  it("replace a link to a file, and a temporary name is not guessable", async () => {
    const kept = join(above, "kept");
    mkdirSync(join(above, "out", "area"), { recursive: true });
    writeFileSync(kept, "kept");
    for (const name of ["7.yaml", "8.yaml.partial"]) symlinkSync(kept, join(above, "out", "area", name));
    await writeFiles(join(above, "out"), files, never);
    expect(readFileSync(kept, "utf8")).toBe("kept");
    expect(existsSync(join(above, "out", "area", "8.yaml"))).toBe(true);
  });
});
