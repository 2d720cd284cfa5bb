import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { collate } from "../../src/generate/collate.ts";
import { loadKinds } from "../../src/generate/load-kinds.ts";
import { root } from "../support/sources.ts";
import { guides } from "./guides.ts";

const guide = guides.find(({ path }) => path === "docs/adding-a-kind.md");
const sources = (guide?.blocks ?? []).filter(({ language }) => language === "ts").map(({ text }) => text);

const [ofDisk = "", ofRegion = ""] = sources;
const shown = [
  { kind: "ComputeDisk", file: "compute/compute-disk.ts", crd: "crds/computedisks.yaml", source: ofDisk },
  { kind: "Region", file: "catalog/region.ts", crd: "crds/regions.yaml", source: ofRegion },
];

it.each(shown)("the $kind in the guide is the one that is there", ({ file, source }) => {
  expect(source.trim()).toBe(readFileSync(join(root, "src", "kinds", file), "utf8").trim());
});

it.each(shown)("…and a whole one: it loads, and the generator has nothing against it: $kind", async (one) => {
  const folder = mkdtempSync(join(tmpdir(), "kinds-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "area"));
  writeFileSync(join(folder, "area", "kind.ts"), fromHere(one));
  const loaded = await loadKinds(folder);
  expect(loaded.problems).toEqual([]);
  expect(loaded.kinds.map(({ kind }) => kind.kind)).toEqual([one.kind]);
  const { files, problems } = collate(loaded.kinds);
  // It is loaded alone.
  expect(problems.filter((problem) => !problem.includes("has no such example"))).toEqual([]);
  expect([...files.keys()]).toContain(one.crd);
});

/** The source with imports that hold outside of `src/kinds/<area>`. */
function fromHere({ file, source }: { file: string; source: string }): string {
  const place = pathToFileURL(join(root, "src", "kinds", file));
  return source
    .replaceAll(/from "(\.\.?\/[^"]+)"/g, (_, path: string) => `from "${new URL(path, place).href}"`)
    .replaceAll('from "zod"', `from "${import.meta.resolve("zod")}"`);
}
