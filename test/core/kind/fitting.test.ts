import { expect, test } from "vitest";
import * as z from "zod";
import type { Json } from "../../../src/api/types.ts";
import { fitted } from "../../../src/core/kind/fitting.ts";
import { orderedList, setOf } from "../../../src/core/kind/schema.ts";
import { timeField } from "../../../src/kinds/time.ts";

const schema = z.object({
  state: z.string().max(5).describe("A text.").optional(),
  count: z.int().min(0).optional(),
  mode: z.enum(["on", "off"]).optional(),
  created: timeField("A time.").optional(),
  names: setOf(z.string().min(1).max(3), 2).describe("A set.").optional(),
  figures: orderedList(z.int(), 3).optional(),
  labels: z.record(z.string().max(3), z.string().max(3)).meta({ maxProperties: 2 }).optional(),
  places: z
    .array(z.object({ key: z.string().max(2), note: z.string().max(2).optional() }))
    .max(5)
    .meta({ listType: "map", listMapKeys: ["key"] })
    .optional(),
  nested: z.object({ port: z.int(), host: z.string().max(3).optional() }).optional(),
});

test.for<{ given: Record<string, Json>; kept: Record<string, Json>; why: string }>([
  { why: "what fits", given: { state: "on", count: 1, mode: "on" }, kept: { state: "on", count: 1, mode: "on" } },
  { why: "a text that is too long is cut", given: { state: "running" }, kept: { state: "runni" } },
  { why: "a cut never halves a character", given: { state: "1234😀" }, kept: { state: "1234" } },
  { why: "null is no value", given: { state: null, count: 1 }, kept: { count: 1 } },
  { why: "another type is left out", given: { state: 5, count: "1", nested: "x", names: "x" }, kept: {} },
  { why: "a number out of bounds is left out", given: { count: -1 }, kept: {} },
  { why: "a word that the enumeration lacks is left out", given: { mode: "maybe", state: "x" }, kept: { state: "x" } },
  { why: "a time", given: { created: "2026-01-02T03:04:05Z" }, kept: { created: "2026-01-02T03:04:05Z" } },
  {
    why: "what is no time is left out, not cut",
    given: { created: `2026-01-02T03:04:05.${"0".repeat(40)}Z` },
    kept: {},
  },
  {
    why: "a list is cut, without what does not fit",
    given: { figures: [1, "2", 3, 4, 5] },
    kept: { figures: [1, 3, 4] },
  },
  {
    why: "cut items of a set may be the same",
    given: { names: ["abcd", "abce", "", "b"] },
    kept: { names: ["abc", "b"] },
  },
  {
    why: "a map is cut",
    given: { labels: { a: "1", long: "2", b: "3456", c: "5" } },
    kept: { labels: { a: "1", b: "345" } },
  },
  {
    why: "items of a keyed list keep their keys apart",
    given: { places: [{ key: "abc", note: "long" }, { key: "abd" }, { note: "x" }] },
    kept: { places: [{ key: "ab", note: "lo" }] },
  },
  { why: "an object that lacks what it needs is left out", given: { nested: { host: "here" } }, kept: {} },
  {
    why: "inner fields",
    given: { nested: { port: 1, host: "here", more: 1 } },
    kept: { nested: { port: 1, host: "her" } },
  },
  { why: "a field that nobody knows is left out", given: { other: 1 }, kept: {} },
])("$why: $given becomes $kept", ({ given, kept }) => {
  expect(fitted(schema, given)).toEqual(kept);
  expect(schema.safeParse(fitted(schema, given)).success).toBe(true);
});
