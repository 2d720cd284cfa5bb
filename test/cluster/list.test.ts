import { expect, test } from "vitest";
import { listAll } from "../../src/cluster/list.ts";
import type { Transport, TransportRequest } from "../../src/cluster/transport.ts";

/** A server with objects of the given length each. Returns the sizes of the pages. */
async function pagesOf(length: number, count: number): Promise<number[]> {
  const sizes: number[] = [];
  let sent = 0;
  const request = ({ path, onLength }: TransportRequest): Promise<unknown> => {
    const limit = Number(new URLSearchParams(path.split("?")[1]).get("limit"));
    const items = Array.from({ length: Math.min(limit, count - sent) }, () => ({ metadata: {} }));
    sent += items.length;
    sizes.push(items.length);
    onLength?.(items.length * length);
    return Promise.resolve({ metadata: { resourceVersion: "1", continue: sent < count ? "more" : "" }, items });
  };
  const { objects } = await listAll({ request } as Transport, { path: "/things", resource: "things" });
  expect(objects).toHaveLength(count);
  return sizes;
}

test("a list of small objects has pages of 500", async () => {
  expect(await pagesOf(2_000, 1_520)).toEqual([20, 500, 500, 500]);
});

test("a page of large objects has at most two megabytes", async () => {
  expect(await pagesOf(600_000, 30)).toEqual([20, 3, 3, 3, 1]);
});

test("an object of more than two megabytes is a page of its own", async () => {
  expect(await pagesOf(3_000_000, 22)).toEqual([20, 1, 1]);
});
