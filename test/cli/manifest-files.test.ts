import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { readManifests } from "../../src/cli/manifest-files.ts";
import { folderOfTest, runCli } from "./run.ts";

const canary = "Canary-alias-pass";
const secret = "apiVersion: v1\nkind: Secret\nmetadata: { name: s }\nstringData:\n";

let folder: string;
beforeEach(() => {
  folder = folderOfTest();
});

function stored(text: string, name = "manifest.yaml"): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

async function failureOf(path: string): Promise<string> {
  return readManifests([path]).then(
    () => "no failure",
    ({ message }: Error) => message,
  );
}

describe("an error in a manifest names the file and the line, and no content", () => {
  it.each<[string, string, number]>([
    ["an alias without an anchor", `${secret}  password: *${canary}\n`, 5],
    ["an alias in the second document", `${secret}  a: b\n---\n${secret}  password: *${canary}\n`, 11],
    ["an alias as a key", `${secret}  *${canary} : x\n`, 5],
    ["a quote that does not end", `${secret}  password: "${canary}\n`, 6],
    ["a key that occurs twice", `${secret}  ${canary}: a\n  ${canary}: b\n`, 6],
    ["a merge of a text", `${secret}  <<: *${canary}\n`, 5],
    ["a text instead of an object", `---\n${canary}\n`, 2],
    ["a text in a List", `kind: List\nitems: [${canary}]\n`, 1],
    [
      "an empty spec",
      `apiVersion: cloudplatform.dev/v1alpha1\nkind: Domain\nmetadata: { name: ${canary} }\nspec:\n`,
      1,
    ],
  ])("%s", async (_, text, line) => {
    const file = stored(text);
    const message = await failureOf(file);
    expect(message).toContain(`${file}:${line} `);
    expect(message).not.toContain(canary);
    for (const command of ["plan", "diff"]) {
      const { code, out, err } = await runCli([
        command,
        "-f",
        file,
        "--token-file",
        file,
        "--endpoint",
        "http://127.0.0.1:1",
      ]);
      expect([code, out]).toEqual([1, ""]);
      expect(err).toBe(`error: ${message}\n`);
    }
  });

  it("does not expand aliases without end", async () => {
    const levels = Array.from(
      { length: 12 },
      (_, at) => `l${at + 1}: &l${at + 1} [${Array(9).fill(`*l${at}`).join(", ")}]`,
    );
    expect(await failureOf(stored(`l0: &l0 ${canary}\n${levels.join("\n")}\n`))).toMatch(
      /manifest\.yaml:1 is not valid/,
    );
  });

  it("also not as a warning for a map as a key", async () => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    onTestFinished(() => warned.mockRestore());
    await readManifests([stored(`${secret}  ? { a: ${canary} }\n  : b\n`)]);
    expect(warned).not.toHaveBeenCalled();
  });
});

describe("a folder", () => {
  it("can have folders with names of manifests, and links to files and folders", async () => {
    mkdirSync(join(folder, "area.yaml"));
    const inside = stored("kind: A", "area.yaml/a.yaml");
    symlinkSync(inside, join(folder, "link.yaml"));
    symlinkSync(join(folder, "area.yaml"), join(folder, "other.yaml"));
    const read = await readManifests([folder]);
    expect(read.map(({ file }) => file)).toEqual([inside, join(folder, "link.yaml")]);
  });

  it("with a broken link is refused in one sentence", async () => {
    symlinkSync(join(folder, "nothing"), join(folder, "link.yaml"));
    expect(await failureOf(folder)).toBe(`${join(folder, "link.yaml")} cannot be read (ENOENT). Correct -f`);
  });
});
