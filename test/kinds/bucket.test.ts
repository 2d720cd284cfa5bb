import { describe, expect, it } from "vitest";
import type { Request } from "../../src/core/kind/call.ts";
import { bucket } from "../../src/kinds/objectstorage/bucket.ts";
import { calls, live } from "./live.ts";

const wire = {
  label: "media",
  cluster: "us-east-1",
  hostname: "media.us-east-1.example",
  created: "2026-01-01T00:00:00",
  size: 5,
  objects: 2,
};
const id = "us-east-1/media";

describe("access", () => {
  const there = { acl: "private", acl_xml: "", cors_enabled: false, cors_xml: "" };
  const path = "/object-storage/buckets/us-east-1/media/access";

  it.each([
    { because: "it is as wanted", spec: { acl: "private", corsEnabled: false }, sent: [] },
    { because: "nothing is wanted", spec: {}, sent: [] },
    {
      because: "one field differs",
      spec: { acl: "public-read", corsEnabled: false },
      sent: [`POST ${path} {"acl":"public-read"}`],
    },
    { because: "the other differs", spec: { corsEnabled: true }, sent: [`POST ${path} {"cors_enabled":true}`] },
    {
      because: "both differ",
      spec: { acl: "public-read", corsEnabled: true },
      sent: [`PUT ${path} {"acl":"public-read","cors_enabled":true}`],
    },
  ])("is set by what differs: $because", ({ spec, sent }) => {
    expect(calls(bucket, "access", { id, spec: { cluster: "us-east-1", ...spec }, wire }, there)).toEqual(sent);
  });

  it("that somebody made custom is repaired", () => {
    expect(calls(bucket, "access", { id, spec: { acl: "private" }, wire }, { ...there, acl: "custom" })).toHaveLength(
      1,
    );
  });
});

it("a bucket is known by cluster and label", () => {
  expect(bucket.identify?.(bucket.wire.parse(wire))).toBe(id);
  expect(bucket.itemPath?.("/object-storage/buckets", id)).toBe("/object-storage/buckets/us-east-1/media");
});

it("figures that change by themselves are not reported", () => {
  const report = bucket.report(live(bucket, { id, spec: {}, wire }), { access: { acl: "custom", cors_enabled: true } });
  expect(report).toEqual({
    hostname: wire.hostname,
    created: "2026-01-01T00:00:00Z",
    currentACL: "custom",
    corsEnabled: true,
  });
});

describe("before the removal", () => {
  /** A bucket whose objects go by DELETE of the URL that was signed for each. */
  function contents(count: number) {
    const objects = new Set(Array.from({ length: count }, (_, index) => `file ${String(index).padStart(4, "0")}`));
    const pages: string[] = [];
    return {
      objects,
      pages,
      tools: {
        get: async (path: string) => {
          pages.push(path);
          const query = new URL(path, "http://bucket.example").searchParams;
          const rest = [...objects].filter((name) => name > (query.get("marker") ?? ""));
          const page = rest.slice(0, Number(query.get("page_size")));
          const more = rest.length > page.length;
          return Promise.resolve({
            data: page.map((name) => ({ name })),
            next_marker: more ? page.at(-1)! : null,
            is_truncated: more,
          });
        },
        send: async (call: Request) => {
          expect(bucket.delivery?.(call, {} as never)).toEqual({ method: "DELETE" });
          objects.delete(call.body?.["name"] as string);
          return Promise.resolve({});
        },
      },
    };
  }
  const release = (spec: object, tools: object) =>
    bucket.release!(live(bucket, { id, spec: { cluster: "us-east-1", ...spec }, wire }), tools as never);

  it("an empty bucket may go at once", async () => {
    await expect(release({}, contents(0).tools)).resolves.toBeUndefined();
  });

  it("a full one stays, and says what lets it go", async () => {
    const { tools, objects } = contents(3);
    await expect(release({}, tools)).rejects.toThrow("set spec.forceEmpty");
    expect(objects.size).toBe(3);
  });

  it("a full one is emptied in rounds where that is allowed", async () => {
    const { tools, objects } = contents(450);
    await expect(release({ forceEmpty: true }, tools)).rejects.toThrow("is being emptied");
    expect(objects.size).toBe(50);
    await expect(release({ forceEmpty: true }, tools)).rejects.toThrow("is being emptied");
    await expect(release({ forceEmpty: true }, tools)).resolves.toBeUndefined();
    expect(objects.size).toBe(0);
  });
});
