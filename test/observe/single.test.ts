/** What is in no list: one path answers whether it is there. */
import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../src/api/types.ts";
import type { Collection } from "../../src/observe/types.ts";
import { arrange } from "./cloud.ts";

const path = "/object-storage/buckets/us-east-1/media/ssl";

const single: Collection = {
  path,
  shownAt: path,
  idOf: ({ ssl }) => {
    if (ssl !== true) throw new TypeError("it does not say whether there is one");
    return "ssl";
  },
  project: (row) => row,
  itemPath: () => path,
  absentIn: (answer) => isObject(answer) && answer["ssl"] === false,
};

function isObject(answer: Json | undefined): answer is JsonObject {
  return typeof answer === "object" && answer !== null && !Array.isArray(answer);
}

test("an answer that says that there is none is neither a row, nor a fault, and one that says so later takes the row away", async () => {
  const { cloud, observer, clock } = arrange();
  cloud.details.set(path, { ssl: true });
  expect([...(await observer.snapshot(single)).rows.keys()]).toEqual(["ssl"]);
  cloud.details.set(path, { ssl: false });
  expect(await observer.read(single, "ssl", { after: clock.now() })).toBeUndefined();
  expect((await observer.snapshot(single)).rows.size).toBe(0);
});

test("an answer that says neither is no absence", async () => {
  const { cloud, observer, clock } = arrange();
  cloud.details.set(path, { ssl: "unknown" });
  await expect(observer.read(single, "ssl", { after: clock.now() })).rejects.toThrow("unexpected form");
});

test("its age is said without the name of what it is part of", async () => {
  const { cloud, observer } = arrange();
  cloud.details.set(path, { ssl: true });
  await observer.snapshot(single);
  expect(observer.ages().map(({ collection }) => collection)).toEqual(["/object-storage/buckets/*/ssl"]);
});
