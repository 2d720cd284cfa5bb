import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { OPERATIONS } from "../../src/simulator/registry.ts";
import { running } from "./running.ts";

/** Lines of `method, version, path`. */
function listed(file: string): { method: string; version: string; path: string }[] {
  const lines = readFileSync(new URL(file, import.meta.url), "utf8")
    .trim()
    .split("\n");
  return lines.map((line) => {
    const [method = "", version = "", path = ""] = line.split("\t");
    return { method, version, path };
  });
}

const documented = listed("endpoints.tsv");
const notShown = listed("not-shown.tsv");
const key = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

test("all 121 documented operations exist, under their version", () => {
  const have = new Map(OPERATIONS.map((operation) => [key(operation), operation.beta ? "v4beta" : "v4"]));
  expect(documented).toHaveLength(121);
  expect(documented.filter((each) => have.get(key(each)) !== each.version)).toEqual([]);
});

test("all operations that the documents only mention exist", () => {
  const have = new Set(OPERATIONS.map(key));
  expect(notShown.filter((each) => !have.has(key(each)))).toEqual([]);
});

test("there is nothing that no document knows, and nothing twice", () => {
  const known = new Set([...documented, ...notShown].map(key));
  expect(OPERATIONS.map(key).filter((each) => !known.has(each))).toEqual([]);
  expect(new Set(OPERATIONS.map(key)).size).toBe(OPERATIONS.length);
});

test("part 1 section 5 rule 3: operations that the documents open need no credentials, and all others do", async () => {
  const simulator = await running();
  const open = OPERATIONS.filter(({ auth }) => auth === "none" || auth === "optional").map(key);
  expect(open.toSorted()).toEqual([
    "GET /compute/kernels",
    "GET /compute/kernels/{kernelId}",
    "GET /compute/types",
    "GET /compute/types/{typeId}",
    "GET /databases/engines",
    "GET /databases/engines/{engineId}",
    "GET /images",
    "GET /images/{imageId}",
    "GET /object-storage/clusters",
    "GET /object-storage/clusters/{clusterId}",
    "GET /regions",
    "GET /regions/availability",
    "GET /regions/{regionId}",
    "GET /regions/{regionId}/availability",
  ]);
  for (const operation of OPERATIONS.filter((each) => !open.includes(key(each)))) {
    const path = `/v4beta${operation.path.replaceAll(/\{\w+\}/g, "1")}`;
    const body = operation.method === "GET" ? undefined : {};
    const { status } = await simulator.call(operation.method, path, body, { token: null });
    expect([key(operation), status]).toEqual([key(operation), 401]);
  }
});

test("every numbered rule of the documents has a test that is named after it, or a reason why there is nothing to see", () => {
  const rules = readFileSync(new URL("rules.tsv", import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  const titles = readdirSync(new URL(".", import.meta.url), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".test.ts"))
    .map((file) => readFileSync(new URL(file, import.meta.url), "utf8"))
    .flatMap((text) =>
      Array.from(text.matchAll(/\btest\("([^"]+)"|^(?:\]\)\()?\s*"([^"]+)",/gm), ([, a, b]) => a ?? b ?? ""),
    );
  const rows = rules.map((line) => line.split("\t"));
  expect(rows).toHaveLength(51);
  const tested = (rule: string) => titles.some((title) => title.includes(`${rule}:`));
  expect(rows.filter(([rule = "", , silent = ""]) => tested(rule) === (silent !== "")).map(([rule]) => rule)).toEqual(
    [],
  );
});
