import { describe, expect, it } from "vitest";
import { rowOf } from "../../tools/demo/objects.ts";
import { cleanEnvironment } from "../../tools/demo/programs.ts";
import { allReady, renderChanges, renderTable, summary } from "../../tools/demo/table.ts";
import type { Row } from "../../tools/demo/table.ts";

const row = (name: string, ready: string, reason = "", message = ""): Row => ({
  kind: "Domain",
  name,
  ready,
  reason,
  message,
});
const wide = { columns: 120, height: 20 };

describe("the table", () => {
  it("aligns its columns", () => {
    expect(renderTable([row("a", "True", "Ready"), row("longer", "False", "Creating", "asked\nfor it")], wide)).toEqual(
      [
        "KIND    NAME    READY  REASON    MESSAGE",
        "Domain  a       True   Ready",
        "Domain  longer  False  Creating  asked for it",
      ],
    );
  });

  it("shows a whole message in a terminal of 80 columns, on lines of its own if necessary", () => {
    const message =
      "Reconciling the zone example.org: the cloud API refuses the record until the record www with the type CNAME is gone";
    const lines = renderTable(
      [row("example-org-www", "False", "WaitingForChange", message), row("b", "True", "Ready", "b is as specified")],
      { columns: 80, height: 20 },
    );
    expect(lines).toEqual([
      "KIND    NAME             READY  REASON            MESSAGE",
      "Domain  example-org-www  False  WaitingForChange",
      "    Reconciling the zone example.org: the cloud API refuses the record until the",
      "    record www with the type CNAME is gone",
      "Domain  b                True   Ready             b is as specified",
    ]);
  });

  it.each([8, 27, 40])("has no line with more than %i characters, so that the terminal breaks no line", (columns) => {
    const rows = [row("example-org-www-aaaa", "True", "Ready"), row("b", "False", "Creating", "x".repeat(200))];
    const lines = renderTable(rows, { columns, height: 400 });
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  });

  it("shows in a narrow terminal the column READY, and cuts the names for it", () => {
    const rows = [row("example-org-www-aaaa", "True", "Ready"), row("b", "False", "Creating")];
    expect(renderTable(rows, { columns: 27, height: 20 })).toEqual([
      "KIND    NAME       READY  …",
      "Domain  example-…  True   …",
      "Domain  b          False  …",
    ]);
  });

  it("omits rows that are ready first if the table is too high", () => {
    const rows = [row("a", "True"), row("b", "True"), row("c", "False", "Creating"), row("d", "True")];
    const lines = renderTable(rows, { columns: 80, height: 4 });
    expect(lines).toHaveLength(4);
    expect(lines[1]).toContain("Domain  c");
    expect(lines.at(-1)).toBe("… and 2 more");
  });

  it("counts the lines of messages towards the height", () => {
    const rows = [row("a", "False", "Creating", "x ".repeat(60)), row("b", "False", "Creating", "y ".repeat(60))];
    const lines = renderTable(rows, { columns: 80, height: 6 });
    expect(lines).toHaveLength(5);
    expect(lines.at(-1)).toBe("… and 1 more");
  });
});

it("tells just what changed where there is no terminal", () => {
  const before = [row("a", "-"), row("b", "False", "Creating")];
  const after = [row("a", "True", "Ready"), row("b", "False", "Creating"), row("c", "-")];
  expect(renderChanges(before, after)).toEqual(["Domain/a ready", "Domain/c not reconciled yet"]);
  expect(renderChanges(after, after)).toEqual([]);
  expect(summary(after, "3 s")).toBe("1 of 3 ready, 3 s");
});

it.each([
  [[], false, "nothing was applied yet"],
  [[row("a", "True"), row("b", "-")], false, "one was not seen"],
  [[row("a", "True"), row("b", "True")], true, "all are"],
])("counts %j as ready: %s, since %s", (rows, ready, _reason) => {
  expect(allReady(rows)).toBe(ready);
});

describe("the row of an object", () => {
  const object = (status?: object) => ({
    kind: "Domain",
    metadata: { name: "a", generation: 2 },
    ...(status === undefined ? {} : { status }),
  });
  const ready = { type: "Ready", status: "True", reason: "Ready", message: "as it should be" };

  it.each([
    [undefined, "-", "has no status"],
    [{ observedGeneration: -1 }, "-", "has the default status"],
    [{ observedGeneration: 1, conditions: [ready] }, "-", "was changed after it was ready"],
    [{ observedGeneration: 2, conditions: [ready] }, "True", "is ready as it stands"],
  ])("with status %j is %s: it %s", (status, expected, _reason) => {
    expect(rowOf(object(status)).ready).toBe(expected);
  });
});

it("gives its programs no setting and no cluster of the person's", () => {
  const environment = { PATH: "/bin", KUBECONFIG: "/mine", CLOUD_PLATFORM_WORKERS: "1", CLOUD_SIMULATOR_PORT: "1" };
  expect(cleanEnvironment(environment)).toEqual({ PATH: "/bin" });
});
