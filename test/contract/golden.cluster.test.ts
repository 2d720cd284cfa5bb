import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { contractTest } from "./support/contract-test.ts";
import { expectGolden, goldenFile, goldenFolder, recordRequests } from "./support/golden.ts";
import { stageOf } from "./support/stage.ts";
import { everyExample, everyIssued, everyRun, everySetting } from "./support/subjects.ts";

const all = [...everyExample, ...everySetting, ...everyIssued, ...everyRun];

describe.concurrent("What an example asks of the cloud is what was reviewed", () => {
  contractTest.for(all)("$title", { timeout: 60_000 }, async (subject, { world }) => {
    expectGolden(goldenFile(subject), await recordRequests(stageOf(world, subject)));
  });
});

test("every reviewed file belongs to an example", () => {
  const files = readdirSync(goldenFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  expect(files.sort()).toEqual(all.map(goldenFile).sort());
});
