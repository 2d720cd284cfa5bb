import { describe, expect, it, test } from "vitest";
import { digestOf, parsedList } from "../../src/api/list-text.ts";
import type { Sliced } from "../../src/api/slices.ts";
import type { Json, JsonObject } from "../../src/api/types.ts";
import { clientFor, json, startServer } from "./server.ts";

function run<T>(work: Sliced<T>): { result: T; costs: number[] } {
  const costs: number[] = [];
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return { result: value, costs };
    costs.push(value);
  }
}

const same = (value: Json): Json => value;
const read = (text: string): Json | undefined => run(parsedList(text, same)).result;

describe("a list that is read row by row is what JSON.parse makes of its text", () => {
  it.each([
    '{"data":[],"page":1,"pages":1,"results":0}',
    '{"page":1,"data":[{"id":1},{"id":2}],"pages":1}',
    ' {\n "data" : [ { "a" : [1, {"b": []}] } , {"c":"]},{"} ] , "x": {"data": [1]} } ',
    String.raw`{"data":[{"a":"\"],[\\"},{"b":"\\\""}],"pages":"1"}`,
    '{"data":[1,-2.5e3,true,null,"a",[],[{}]]}',
    '{"a":{"data":[1]},"data":[{"é":"\u{1F600}"}],"b":2}',
  ])("%s", (text) => {
    expect(read(text)).toEqual(JSON.parse(text));
  });

  it.each([
    "",
    "[]",
    "{}",
    '{"data":{}}',
    '{"data":[1,]}',
    '{"data":[1 2]}',
    '{"data":[{"a":1}}',
    '{"data":[tru]}',
    '{"data":[{"a":1}],"b"}',
    '{"data":[1]} x',
    '{"data":[{"a":"b}]}',
    '{"data":[1',
    "<html>data</html>",
  ])("and nothing for another text: %s", (text) => {
    expect(read(text)).toBeUndefined();
  });
});

test("no slice of a list of large rows costs more than one row", () => {
  const rows = Array.from({ length: 20 }, (_, id) => ({ id, text: "a".repeat(200_000), list: Array(20_000).fill(1) }));
  const { result, costs } = run(parsedList(JSON.stringify({ data: rows, pages: 1 }), same));
  expect(result).toEqual({ data: rows, pages: 1 });
  expect(Math.max(...costs)).toBeLessThan(JSON.stringify(rows[10]).length + 1);
});

test("a row that is too long, and rows that are too many, are no list", () => {
  expect(() => read(`{"data":[[${"1,".repeat(300_000)}1]]}`)).toThrow(/row of more than/);
  expect(() => read(`{"data":[${"1,".repeat(20_000)}1]}`)).toThrow(/more than 10000 rows/);
  expect(read(`{${'"a":1,'.repeat(1_000)}"data":[]}`)).toBeUndefined();
});

test("equal rows have equal digests, and other rows others", () => {
  const row = (end: string): object => ({ id: 1, text: "a".repeat(20_000) + end });
  const digests = ["", "", "b"].map((end) => {
    const { data } = read(JSON.stringify({ data: [row(end)] })) as { data: JsonObject[] };
    return digestOf(data[0] as JsonObject);
  });
  expect(digests[0]).toBe(digests[1]);
  expect(digests[0]).not.toBe(digests[2]);
});

test("a list whose pages are too large is read in the smallest pages, also the next time", async () => {
  const all = Array.from({ length: 60 }, (_, index) => ({ id: index + 1, text: "a".repeat(400_000) }));
  const server = await startServer((response, socket, received) => {
    const query = new URL(received.path, "http://localhost").searchParams;
    const [number, size] = [Number(query.get("page")), Number(query.get("page_size"))];
    const data = all.slice((number - 1) * size, number * size);
    json(200, { data, page: number, pages: Math.ceil(all.length / size), results: all.length })(
      response,
      socket,
      received,
    );
  });
  const { client } = clientFor(server.url);
  expect((await client.list("/networking/firewalls")).rows).toEqual(all);
  const first = server.received.length;
  expect(first).toBe(4);
  expect((await client.list("/networking/firewalls")).rows).toEqual(all);
  expect(server.received.length - first).toBe(3);
});
