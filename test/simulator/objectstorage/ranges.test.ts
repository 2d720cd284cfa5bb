import { expect, test } from "vitest";
import { running } from "../running.ts";
import { bucket, put, signed } from "./bucket.ts";

/** The object holds `hello`, five bytes. */
async function read(headers: Record<string, string>): Promise<Response> {
  const simulator = await running();
  const path = await bucket(simulator);
  await put(simulator, path, "a");
  return fetch(await signed(simulator, path, { method: "GET", name: "a" }), { headers });
}

test.each([
  { range: "bytes=1-3", part: "1-3", text: "ell", why: "from one byte to another, both counted" },
  { range: "bytes=2-", part: "2-4", text: "llo", why: "to the end" },
  { range: "bytes=-2", part: "3-4", text: "lo", why: "so many of the last" },
  { range: "bytes=-99", part: "0-4", text: "hello", why: "more of the last than there are" },
  { range: "bytes=3-99", part: "3-4", text: "lo", why: "beyond the end" },
])("a range is answered with 206: $range, $why", async ({ range, part, text }) => {
  const answer = await read({ Range: range });
  const { status, headers } = answer;
  expect([status, headers.get("content-range"), headers.get("content-length")]).toEqual([
    206,
    `bytes ${part}/5`,
    String(text.length),
  ]);
  expect(await answer.text()).toBe(text);
});

test.each([
  { range: "bytes=5-", why: "begins behind the end" },
  { range: "bytes=-0", why: "none of the last" },
])("a range that the object has nothing of is answered with 416: $range, $why", async ({ range }) => {
  const answer = await read({ Range: range });
  expect([answer.status, answer.headers.get("content-range")]).toEqual([416, "bytes */5"]);
  expect(await answer.text()).toContain("<Code>InvalidRange</Code>");
});

test.each([
  { headers: { Range: "lines=1-2" }, why: "no range of bytes" },
  { headers: { Range: "bytes=0-1,3-4" }, why: "several parts" },
  { headers: { Range: "bytes=3-1" }, why: "ends before it begins" },
  { headers: { Range: "bytes=1-2", "If-Range": '"other"' }, why: "another version is meant" },
])("the whole object is answered: $why", async ({ headers }) => {
  const answer = await read(headers);
  expect([answer.status, answer.headers.get("accept-ranges"), await answer.text()]).toEqual([200, "bytes", "hello"]);
});
