import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { collate } from "../../src/generate/collate.ts";
import { loadKinds } from "../../src/generate/load-kinds.ts";
import { root } from "../support/sources.ts";
import { guides } from "./guides.ts";

it("the kind in the guide is the one that is there", () => {
  const guide = guides.find(({ path }) => path === "docs/adding-a-kind.md");
  const source = guide?.blocks.find(({ language }) => language === "ts")?.text.trim();
  expect(source).toBe(readFileSync(join(root, "src", "kinds", "compute", "compute-disk.ts"), "utf8").trim());
});

it("the kind in the guide is a whole one: it loads, and the generator has nothing against it", async () => {
  const guide = guides.find(({ path }) => path === "docs/adding-a-kind.md");
  const source = guide?.blocks.find(({ language }) => language === "ts")?.text ?? "";
  const folder = mkdtempSync(join(tmpdir(), "kinds-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "area"));
  writeFileSync(join(folder, "area", "kind.ts"), fromHere(source));
  const loaded = await loadKinds(folder);
  expect(loaded.problems).toEqual([]);
  expect(loaded.kinds.map(({ kind }) => kind.kind)).toEqual(["ComputeDisk"]);
  const { files, problems } = collate(loaded.kinds);
  expect(problems).toEqual([]);
  expect([...files.keys()]).toContain("crds/computedisks.yaml");
});

/** The source with imports that hold outside of `src/kinds/<area>`. */
function fromHere(source: string): string {
  return source
    .replaceAll(/from "(\.\.?\/[^"]+)"/g, (_, path: string) => `from "${new URL(path, area).href}"`)
    .replaceAll('from "zod"', `from "${import.meta.resolve("zod")}"`);
}

const area = pathToFileURL(join(root, "src", "kinds", "area", "kind.ts"));
