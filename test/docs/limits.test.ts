import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { settings } from "../../src/process/settings.ts";
import { root } from "../support/sources.ts";

/** The number of a constant, or of the first group of a pattern, with its factors multiplied. */
type Place = [file: string, constant: string | RegExp];

const read = (file: string): string => readFileSync(join(root, file), "utf8");
const page = read("docs/limits.md");
const tables = page.split("\n## Sizes\n")[0] ?? "";
const rows = [...tables.matchAll(/^\| (?!limit|event|-)(.+?) \| (.+?) \|(?: (.*?) \|)?$/gm)].map(
  ([, name = "", value = "", setting = ""]) => ({ name, value, setting }),
);

/** The constant behind each row without a setting. */
const places: Record<string, Place> = {
  "requests per account in two minutes": ["src/api/limits.ts", /requests: ([\d_]+), windowMs: 120_000/],
  "pages of one list": ["src/api/paging.ts", "MAX_PAGES"],
  "response to a read": ["src/api/client.ts", /readMs \?\? ([\d_]+)/],
  "response to a change": ["src/api/client.ts", /writeMs \?\? ([\d_]+)/],
  "read of the account's events": ["src/observe/observer.ts", /feedMs: ([\d_]+)/],
  "first retry after a failure": ["src/queue/queue.ts", /firstPauseMs, longestMs\] = \[([\d_]+)/],
  "longest wait between retries": ["src/queue/queue.ts", /firstPauseMs, longestMs\] = \[[\d_]+, ([\d_]+)/],
  "content of a BucketObject": ["src/kinds/objectstorage/object-content.ts", "mostContent"],
  "data of an Image from a URL": ["src/kinds/images/image.ts", "mostBytes"],
  "all values of one published Secret": ["src/core/secrets/form.ts", "mostPublishedBytes"],
  "token of a CloudAccount": ["src/core/account/token.ts", "longestToken"],
  "requests in `status.plan`": ["src/core/send/plan.ts", "mostOperations"],
  "unmanaged cloud objects of an Inventory, for each list": ["src/kinds/account/inventory-rows.ts", "mostNamed"],
  "grants of a Profile": ["src/kinds/account/profile-grants.ts", "mostShown"],
};

describe("a limit in the guide", () => {
  it("has a setting or a constant for each row, and each constant has a row", () => {
    const constant = rows.filter(({ setting }) => settingOf(setting)?.fallback === undefined);
    expect(constant.map(({ name }) => name)).toEqual(Object.keys(places));
    expect(rows.length).toBeGreaterThan(15);
  });

  it.each(rows)("is the limit in the code: $name", ({ name, value, setting }) => {
    const { fallback, flag = "" } = settingOf(setting) ?? {};
    const unit = /-seconds|-minutes|-kib/.exec(flag)?.[0] ?? "";
    const factor = { "-seconds": 1_000, "-minutes": 60_000, "-kib": 1_024 }[unit] ?? 1;
    const place = places[name];
    expect(numberIn(value)).toBe(fallback === undefined && place ? constantAt(place) : Number(fallback) * factor);
  });
});

describe("a size in the guide", () => {
  const sizes = page.split("\n## Sizes\n")[1]?.split("\n## ")[0] ?? "";

  it.each(["512 MiB, the default", "about 800", "4.5 KB", "2.3 KB", "5,000 zones", "20 records each"])(
    "is a figure of the benchmarks: %s",
    (figure) => {
      expect(sizes).toContain(figure);
      expect(read("docs/performance.md")).toContain(figure);
    },
  );

  it("names the largest measured release with its memory", () => {
    expect(read("docs/performance.md")).toMatch(/\| restart with \| 10,000 objects \| 50,000 objects \|/);
    expect(read("docs/performance.md")).toMatch(/\| resident memory \| [^|]+ \| 256 MiB \|/);
    expect(sizes).toContain("50,000 objects: 256 MiB");
  });
});

function settingOf(text: string): { fallback?: string | undefined; flag?: string } | undefined {
  return Object.values(settings).find(({ flag }) => text.includes(`\`${flag.split(" ")[0]}\``));
}

/** Returns milliseconds for a time, bytes for a size, and the number otherwise. */
function numberIn(value: string): number {
  const [, number = "", unit = ""] = /^([\d,]+)(?: (s|min|KiB|MiB|GiB|characters))?$/.exec(value) ?? [];
  const units = { s: 1_000, min: 60_000, KiB: 1_024, MiB: 1_024 ** 2, GiB: 1_024 ** 3 };
  return Number(number.replaceAll(",", "")) * (units[unit as keyof typeof units] ?? 1);
}

function constantAt([file, constant]: Place): number {
  const pattern = typeof constant === "string" ? new RegExp(`const ${constant} = ([\\d_* ]+);`) : constant;
  const [, text = ""] = pattern.exec(read(file)) ?? [];
  return text
    .replaceAll("_", "")
    .split(/ \* (?!\*)/)
    .map((factor) => factor.split(" ** ").map(Number))
    .reduce((product, [base = Number.NaN, power = 1]) => product * base ** power, 1);
}
