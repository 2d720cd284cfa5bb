import { describe, expect, test } from "vitest";
import { clientFor, failureOf, json, page, settled, startServer } from "./server.ts";

const rows = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => ({ id: from + index }));
const ids = (listing: { rows: object[] }) => listing.rows.map((row) => (row as { id: number }).id);

describe("a list", () => {
  test("is read page by page, with 500 rows each and its filter in a header", async () => {
    const server = await startServer(page(rows(0, 500), 1, 2, 750), page(rows(500, 750), 2, 2, 750));
    const { client } = clientFor(server.url);
    const listing = await client.list("/networking/ips?skip_ipv6_rdns=true", { filter: { label: "grün" } });
    expect(ids(listing)).toEqual(rows(0, 750).map(({ id }) => id));
    expect(listing.pages).toBe(2);
    expect(server.received.map(({ path }) => path)).toEqual([
      "/v4/networking/ips?skip_ipv6_rdns=true&page=1&page_size=500",
      "/v4/networking/ips?skip_ipv6_rdns=true&page=2&page_size=500",
    ]);
    expect(server.received[0]?.headers["x-filter"]).toBe('{"label":"gr\\u00fcn"}');
  });

  test.each<[unknown, string]>([
    [[{ id: 1 }], "a bare array"],
    [{ data: [{ id: 1 }] }, "`data` without `pages`"],
    [{ data: [{ id: 1 }], page: 1, pages: 0, results: 1 }, "no page at all"],
  ])("%j is one page: %s", async (body) => {
    const server = await startServer(json(200, body));
    const { client } = clientFor(server.url);
    expect(await client.list("/x")).toEqual({ rows: [{ id: 1 }], pages: 1 });
    expect(server.received).toHaveLength(1);
  });

  test.each([
    [{}],
    [{ data: {} }],
    [{ data: [1] }],
    [{ data: [{ id: 1 }, null] }],
    ["text"],
    [{ data: [], pages: 5_000, results: 0 }],
  ])("%j is an error, not an empty list", async (body) => {
    const server = await startServer(json(200, body));
    const { client } = clientFor(server.url);
    expect((await failureOf(client.list("/x"))).status).toBeUndefined();
  });

  test.each<[string, object]>([
    ["numbers as texts", { pages: "2", results: "4" }],
    ["its pages as a text", { pages: "2", results: 4 }],
  ])("with %s is read to its end", async (_, figures) => {
    const pages = [rows(0, 2), rows(2, 4)].map((data, index) => json(200, { data, page: index + 1, ...figures }));
    const server = await startServer(...pages);
    const { client } = clientFor(server.url);
    expect(ids(await client.list("/x"))).toEqual([0, 1, 2, 3]);
  });

  test.each<[string, object]>([
    ["pages: null", { pages: null, results: 4 }],
    ["no pages", { results: 4 }],
    ["pages: 1", { pages: 1, results: 4 }],
    ["pages: 0", { pages: 0, results: 4 }],
    ["pages: a new word", { pages: "many", results: 4 }],
    ["pages: 1.5", { pages: 1.5, results: 4 }],
    ["a next page whose number cannot be read", { pages: "many", results: null }],
  ])("that says that there is more, and not where, is an error: %s", async (_, figures) => {
    const server = await startServer(json(200, { data: rows(0, 2), page: 1, ...figures }));
    const { client } = clientFor(server.url);
    expect((await failureOf(client.list("/x"))).status).toBeUndefined();
  });

  test("of which a page fails is an error as a whole", async () => {
    const server = await startServer(page(rows(0, 2), 1, 2, 4), json(403, { errors: [{ reason: "Unauthorized" }] }));
    const { client } = clientFor(server.url);
    expect((await failureOf(client.list("/x"))).status).toBe(403);
  });
});

describe("a list that changes while it is read", () => {
  const still = [page(rows(0, 2), 1, 2, 4), page(rows(2, 4), 2, 2, 4)];

  test.each([
    ["a row went: the count is smaller", [page(rows(0, 2), 1, 2, 4), page(rows(3, 4), 2, 2, 3)]],
    ["a row came: the count is larger", [page(rows(0, 2), 1, 2, 3), page(rows(2, 4), 2, 2, 4)]],
    ["one went and one came: a row is missing", [page(rows(0, 2), 1, 2, 4), page([{ id: 3 }], 2, 2, 4)]],
    ["one came in front: a row is there twice", [page(rows(0, 2), 1, 2, 4), page([{ id: 1 }, { id: 2 }], 2, 2, 4)]],
    ["the last page is gone", [page(rows(0, 2), 1, 2, 4), json(404, { errors: [{ reason: "Not found" }] })]],
  ])("is read again: %s", async (_, first) => {
    const server = await startServer(...first, ...still);
    const { client } = clientFor(server.url);
    const listing = await client.list("/x");
    expect([ids(listing), listing.pages]).toEqual([[0, 1, 2, 3], 4]);
  });

  test("without an end is an error after four readings", async () => {
    const server = await startServer((response, socket, { path }) => {
      const number = path.includes("page=1&") ? 1 : 2;
      page(rows(0, 2), number, 2, 3 + number)(response, socket, { method: "", path, headers: {}, body: "" });
    });
    const { client, clock } = clientFor(server.url);
    const failure = await failureOf(settled(clock, client.list("/x")));
    expect(failure.message).toContain("kept changing");
    expect(server.received).toHaveLength(8);
  });
});
