import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { customization, healthScript, verdictsOn } from "./verdicts.ts";

interface HealthTest {
  healthStatus: { status: string; message: string };
  inputPath: string;
}

const read = (file: string): unknown => parse(readFileSync(join(customization, file), "utf8"));
const { tests } = read("health_test.yaml") as { tests: HealthTest[] };

test("the health script says of each object in its test data what its test file says, run by Argo CD's Lua", async () => {
  const verdicts = await verdictsOn(tests.map(({ inputPath }) => read(inputPath)));
  expect(verdicts.map(({ argo }) => argo)).toEqual(tests.map(({ healthStatus }) => healthStatus));
});

test("its test file names all the data there is", () => {
  const files = readdirSync(join(customization, "testdata")).map((name) => `testdata/${name}`);
  expect(tests.map(({ inputPath }) => inputPath).toSorted()).toEqual(files.toSorted());
});

test("the patch for Argo CD's settings holds that script", () => {
  const { data } = parse(readFileSync("deploy/argocd/argocd-cm.yaml", "utf8")) as { data: Record<string, string> };
  const customizations = parse(data["resource.customizations"] ?? "") as Record<string, Record<string, string>>;
  expect(customizations).toEqual({ "cloudplatform.dev/*": { "health.lua": healthScript } });
});
