import { readdirSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { cloudAccount } from "../../src/kinds/account/cloud-account.ts";
import { mirrors } from "../../src/kinds/registry.ts";
import { startControlPlane } from "../support/control-plane.ts";
import { installDefinitions } from "../support/definitions.ts";
import { startWorld } from "../support/world.ts";
import { contractTest } from "./support/contract-test.ts";
import { noteCalls, uncovered } from "./support/coverage.ts";
import { expectGolden, goldenFile, goldenFolder, recordRequests } from "./support/golden.ts";
import { otherScopes } from "./support/scopes.ts";
import { occasions } from "./support/occasions.ts";
import { stageOf } from "./support/stage.ts";
import { noteStatus, unshown } from "./support/statuses.ts";
import { everyExample, everyIssued, everyRun, everySetting, everySurvey } from "./support/subjects.ts";

const onlyRead = "What is only read is read";
const catalogsRead = "catalogs are read";
const all = [...everyExample, ...everySetting, ...everyIssued, ...everyRun];

describe.concurrent("What an example asks of the cloud is what was reviewed", () => {
  contractTest.for(all)("$title", { timeout: 60_000 }, async (subject, { world }) => {
    expectGolden(goldenFile(subject), await recordRequests(stageOf(world, subject)));
  });
});

describe.concurrent("What only some occasion asks for is called", () => {
  contractTest.for(occasions)("$kind: $title", { timeout: 60_000 }, async ({ kind, title, run }, { world }) => {
    world.simulator.control.clearLedger();
    await run(world);
    noteCalls(kind, `${kind}: ${title}`, world.simulator, "occasion");
  });
});

contractTest(onlyRead, { timeout: 60_000 }, async ({ world }) => {
  for (const { kind, example } of everySurvey) {
    world.simulator.control.clearLedger();
    const stage = stageOf(world, { kind, example, title: kind.kind });
    await stage.create();
    noteStatus(stage, await stage.ready());
    noteCalls(kind.kind, onlyRead, world.simulator);
  }
  const [example] = cloudAccount.examples;
  if (example) noteStatus({ kind: cloudAccount, example }, await world.ready("CloudAccount", "default"));
});

test(catalogsRead, async () => {
  const cluster = await startControlPlane();
  onTestFinished(() => cluster.stop());
  await installDefinitions(cluster.kubectl);
  const world = await startWorld(cluster, { operator: { namespaces: undefined, catalogs: { everyMs: 3_600_000 } } });
  onTestFinished(() => world.stop());
  const { control } = world.simulator;
  for (const { kind, path, beside } of mirrors) {
    for (const read of [path, ...(beside ? [beside.path] : [])])
      await vi.waitFor(() => expect(control.ledger({ path: `/v4${read}` })).not.toEqual([]), { timeout: 60_000 });
    noteCalls(kind, catalogsRead, world.simulator);
  }
});

test("every operation of the cloud API is called for the kind, and in the test, that the guide names", () => {
  expect(uncovered()).toEqual([]);
});

test("the guide names the scopes that each kind needs", () => {
  expect(otherScopes()).toEqual([]);
});

test("the reference shows a status of each kind that was seen", () => {
  expect(unshown()).toEqual([]);
});

test("every reviewed file belongs to an example", () => {
  const files = readdirSync(goldenFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  expect(files.sort()).toEqual(all.map(goldenFile).sort());
});
