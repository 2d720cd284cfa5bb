import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadKinds } from "../../src/generate/load-kinds.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "kinds-"));
  mkdirSync(path.join(folder, "area"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(file: string, source: string): void {
  writeFileSync(path.join(folder, file), source);
}

function source(kind: string, more = ""): string {
  const name = kind.toLowerCase();
  return `export const ${name} = { kind: "${kind}", plural: "${name}s", shortNames: [], columns: [], spec: {}, status: {}, examples: [], ${more} };\n`;
}

it("finds the kinds of every area by name, passes over parts, and tells who has a flow of its own", async () => {
  put("area/b.ts", source("B", "listPath: () => '/b'"));
  put("area/a.ts", `${source("A")}export const part = { fields: {} };\n`);
  put("area/part.ts", "export const limit = 5;\n");
  const { kinds, problems } = await loadKinds(folder);
  expect(problems).toEqual([]);
  expect(kinds.map(({ file, exportName, reconciled }) => ({ file, exportName, reconciled }))).toEqual([
    { file: "area/a.ts", exportName: "a", reconciled: false },
    { file: "area/b.ts", exportName: "b", reconciled: true },
  ]);
});

it("names a file that cannot be loaded and goes on with the others", async () => {
  put("area/broken.ts", 'throw new Error("half written");\n');
  put("area/c.ts", source("C"));
  const { kinds, problems } = await loadKinds(folder);
  expect(kinds.map(({ kind }) => kind.kind)).toEqual(["C"]);
  expect(problems).toEqual(["area/broken.ts cannot be loaded: half written"]);
});
