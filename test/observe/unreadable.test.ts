import { describe, expect, test } from "vitest";
import { HttpError } from "../../src/api/errors.ts";
import type { Json } from "../../src/api/types.ts";
import { UnreadableRow } from "../../src/observe/unreadable-row.ts";
import { sshKey } from "../../src/kinds/account/ssh-key.ts";
import { collectionOf } from "../../src/core/model/context.ts";
import { arrange } from "./cloud.ts";

const keys = collectionOf(sshKey, "/profile/sshkeys");
const mine = { id: 1, label: "laptop", ssh_key: "ssh-ed25519 AAAA", created: "2026-01-01T00:00:00" };
const stranger = { ...mine, id: 2, label: null };
const unread = { reason: "label: Invalid input: expected string, received null", created: mine.created };

/** An observer that has listed both rows; the key `mine` lives by the first, `other` by the second. */
async function listed() {
  const warnings: object[] = [];
  const log = {
    warn: (fields: object, message: string) => warnings.push({ ...fields, message }),
    error: () => undefined,
    info: () => undefined,
    debug: () => undefined,
  };
  const arranged = arrange({ log });
  const { cloud, observer } = arranged;
  cloud.collections.set(keys.path, [mine, stranger]);
  const snapshot = await observer.snapshot(keys);
  observer.depend("mine", [{ collection: keys, id: "1" }]);
  observer.depend("other", [{ collection: keys, id: "2" }]);
  cloud.requests.length = 0;
  return { ...arranged, snapshot, warnings };
}

async function failureOf(reading: Promise<unknown>): Promise<unknown> {
  return reading.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("a stranger's row that cannot be read", () => {
  test("leaves the other rows of its list as they are, and is known to be there", async () => {
    const { snapshot, warnings } = await listed();
    expect([...snapshot.rows.keys()]).toEqual(["1"]);
    expect([...snapshot.unreadable]).toEqual([["2", unread]]);
    expect(warnings).toEqual([]);
  });

  test("is an error of its own for who reads it, which names the field and shows no value", async () => {
    const { observer, clock } = await listed();
    const error = await failureOf(observer.read(keys, "2", { after: clock.now() }));
    expect(error).toBeInstanceOf(UnreadableRow);
    expect(error).toMatchObject({ name: "UnreadableRow", id: "2", path: "/profile/sshkeys/2", ...unread });
  });

  test("is not gone when a list lacks it: it is confirmed like any other", async () => {
    const { cloud, observer, clock, woken } = await listed();
    cloud.hidden.add(2);
    await clock.advance(66_000);
    expect(cloud.requests).toContain("GET /profile/sshkeys/2");
    expect([...(await observer.snapshot(keys)).unreadable.keys()]).toEqual(["2"]);
    expect(woken).toEqual([]);
    cloud.hidden.clear();
    cloud.collections.set(keys.path, [mine]);
    await clock.advance(66_000);
    expect([...(await observer.snapshot(keys)).unreadable.keys()]).toEqual([]);
    expect(woken).toEqual(["other"]);
  });

  test("wakes its keys when it becomes readable, and when it becomes unreadable", async () => {
    const { cloud, clock, woken, observer } = await listed();
    cloud.collections.set(keys.path, [mine, { ...stranger, label: "theirs" }]);
    await clock.advance(66_000);
    expect(woken).toEqual(["other"]);
    cloud.collections.set(keys.path, [
      { ...mine, ssh_key: 5 },
      { ...stranger, label: "theirs" },
    ]);
    await clock.advance(66_000);
    expect(woken).toEqual(["other", "mine"]);
    expect([...(await observer.snapshot(keys)).rows.keys()]).toEqual(["2"]);
  });

  test("in transition is read as ever, without a warning", async () => {
    const { cloud, clock, observer, warnings } = await listed();
    observer.depend("other", [{ collection: keys, id: "2", transitional: clock.now() }]);
    await clock.advance(10_000);
    expect(cloud.requests.length).toBeGreaterThan(1);
    expect(cloud.requests.length).toBeLessThan(5);
    expect(warnings).toEqual([]);
  });
});

test("rows without an id are skipped, with one warning for a collection and reason, not one for each poll", async () => {
  const { cloud, clock, observer, warnings } = await listed();
  cloud.collections.set(keys.path, [mine, { ...mine, id: null }, { label: "x" }]);
  await clock.advance(300_000);
  expect([...(await observer.snapshot(keys)).rows.keys()]).toEqual(["1"]);
  expect(warnings).toHaveLength(1);
});

test.for<{ answer: Json; why: string }>([
  { answer: {}, why: "nothing" },
  { answer: [], why: "a list" },
  { answer: "<html>", why: "a text" },
])("an item that is answered with $why is a service that does not answer as it should", async ({ answer }) => {
  const { cloud, observer, clock } = await listed();
  cloud.details.set("/profile/sshkeys/1", answer);
  const error = await failureOf(observer.read(keys, "1", { after: clock.now() }));
  expect(error).toBeInstanceOf(HttpError);
  expect(error).toMatchObject({ outcome: "ambiguous", status: undefined });
  expect([...(await observer.snapshot(keys)).rows.keys()]).toEqual(["1"]);
});

test("a detail that lacks what it must have is such an answer too, and is not kept", async () => {
  const { cloud, observer } = await listed();
  const path = "/object-storage/buckets/us-east-1/media/access";
  cloud.details.set(path, {});
  const error = await failureOf(observer.detail(path, { needs: ["acl"] }));
  expect(error).toMatchObject({ name: "HttpError", outcome: "ambiguous", status: undefined });
  cloud.details.set(path, { acl: "private" });
  expect(await observer.detail(path, { needs: ["acl"] })).toEqual({ acl: "private" });
});
