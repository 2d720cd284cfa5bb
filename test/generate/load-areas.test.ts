import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { loadAreas } from "../../src/generate/load-areas.ts";
import { simulatorRegistrySource } from "../../src/generate/simulator-registry.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "areas-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

function put(file: string, source: string): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), source);
}

function operation(declared: string): string {
  const [method, at] = declared.split(" ");
  return `{ method: "${method}", path: "${at}", handler() {} }`;
}

it("finds all that areas hand over, in the order of their files, and nothing of the server", async () => {
  put("pets/deep/cats.ts", `export const catOperations = [${operation("GET /cats")}];\n`);
  put("pets/create-dog.ts", `export const createDog = ${operation("POST /dogs")};\n`);
  put("pets/jobs.ts", 'export const PET_JOBS = [{ name: "feed", run() {} }];\nexport const hours = [1, 2];\n');
  put("pets/tables.ts", "const key = () => 1;\nexport const PETS = { name: 'pet', key, indexes: { label: key } };\n");
  put("pets/cages.ts", "export const CAGES = { name: 'cage', key: () => 1 };\n");
  put("pets/seed.ts", "export const petSeed = { seed() {} };\n");
  put("pets/photos.ts", 'export const photos = { operations: ["GET /photos"], mount() {} };\n');
  put("pets/control.ts", "export const petControl = { verbs() {}, routes() {} };\n");
  put("server/example.ts", `export const example = ${operation("GET /example")};\n`);
  const { contributions, problems } = await loadAreas(folder);
  expect(problems).toEqual([]);
  const source = simulatorRegistrySource(contributions);
  expect(source).toContain('import { catOperations } from "./pets/deep/cats.ts";');
  expect(source).toContain("OPERATIONS: readonly Operation[] = [createDog, ...catOperations];");
  expect(source).toContain("JOB_KINDS: readonly JobKind[] = [...PET_JOBS];");
  expect(source).toContain("INDEXED_TABLES: readonly Table<never>[] = [PETS];");
  expect(source).toContain("SEEDS: readonly Seed[] = [petSeed];");
  expect(source).toContain("MOUNTS: readonly Mount[] = [photos];");
  expect(source).toContain("CONTROLS = { pets: petControl };");
  expect(source).not.toContain("example");
});

it("refuses what two files serve, and an export that two files give one name", async () => {
  put("pets/a.ts", `export const one = [${operation("GET /cats")}];\n`);
  put("pets/b.ts", `export const two = ${operation("GET /cats")};\n`);
  put("trees/a.ts", `export const one = ${operation("GET /oaks")};\n`);
  expect((await loadAreas(folder)).problems).toEqual([
    "the operation GET /cats is in pets/a.ts (one) and in pets/b.ts (two)",
    "the export one is in pets/a.ts and in trees/a.ts",
  ]);
});

it("names a file that cannot be loaded and goes on with the others", async () => {
  put("pets/broken.ts", 'throw new Error("half written");\n');
  put("pets/cats.ts", `export const catOperations = [${operation("GET /cats")}];\n`);
  const { contributions, problems } = await loadAreas(folder);
  expect(contributions.map(({ exportName }) => exportName)).toEqual(["catOperations"]);
  expect(problems).toEqual(["pets/broken.ts cannot be loaded: half written"]);
});
