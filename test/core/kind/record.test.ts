/** The record counts for the object alone that this installation signed it for. */
import { createHmac, createSecretKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/cluster/types.ts";
import { recordIn, recordText } from "../../../src/core/kind/record.ts";
import type { Stored } from "../../../src/core/kind/record.ts";
import { digestOf } from "../../../src/core/model/context.ts";
import type { Context } from "../../../src/core/model/context.ts";
import { newEntry, entryText } from "../../../src/core/model/journal.ts";
import { storedRecord } from "../../../src/core/model/stored.ts";
import { forgedRecord } from "../../world/record.ts";

const key = createSecretKey(Buffer.alloc(32, 1));
const other = createSecretKey(Buffer.alloc(32, 2));

const metadata = {
  name: "web",
  namespace: "shop",
  uid: "uid-1",
  resourceVersion: "1",
  creationTimestamp: "2026-01-02T00:00:00Z",
};
const object: KubeObject = { apiVersion: "cloudplatform.dev/v1alpha1", kind: "Firewall", metadata };

const run = { id: "run", startedAt: "2026-01-02T00:00:00Z", result: "Complete", made: "77" } as const;
const facts: Stored = {
  id: "7",
  origin: "2026-01-02T00:00:00.000Z",
  adopted: true,
  applied: { type: "b", image: "a" },
  operations: [{ id: "op", action: "Resize", time: "2026-01-02T00:00:00Z", applies: { type: "b", image: "a" } }],
  deletedID: "6",
  refusedAttempt: "attempt",
  discarded: { attempt: "other", id: "7" },
  appliedGeneration: 3,
  approvedPlan: "plan",
  run,
};

function withRecord(record: string | undefined, more: Partial<KubeObject> = {}): KubeObject {
  return { ...object, ...more, ...(record !== undefined && { status: { record } }) };
}

describe("a record", () => {
  it("gives back its facts", () => {
    expect(recordIn(withRecord(recordText(object, facts, key)), key)).toEqual(facts);
  });

  it("is the same text for the same facts, in whatever order, and none without a fact", () => {
    const { applied: _, ...others } = facts;
    const reordered = { ...others, applied: { image: "a", type: "b" }, id: "7" };
    expect(recordText(object, reordered, key)).toBe(recordText(object, facts, key));
    expect(recordText(object, { id: undefined, adopted: undefined }, key)).toBeUndefined();
  });

  it.each([
    { because: "of another uid", at: { metadata: { ...metadata, uid: "uid-2" } }, by: key },
    { because: "of another kind", at: { kind: "Domain" }, by: key },
    { because: "with another key", at: {}, by: other },
  ])("is worth nothing $because", ({ at, by }) => {
    expect(recordIn(withRecord(recordText(object, facts, key), at), by)).toBeUndefined();
  });

  it.each(Object.keys(facts))("is worth nothing with another %s", (fact) => {
    const text = recordText(object, facts, key);
    expect(recordIn(withRecord(forgedRecord(withRecord(text), { [fact]: null })), key)).toBeUndefined();
  });

  it.each(["", "{", "{}", "null", '{"id":"7"}', "{".repeat(10_000)])("is worth nothing as %j", (text) => {
    expect(recordIn(withRecord(text), key)).toBeUndefined();
  });

  it("is no entry, and an entry is no record", () => {
    const details = { collection: "/networking/firewalls", pattern: {}, known: [], epoch: "e" };
    const entry = newEntry(object, { uid: 1 }, details, new Date("2026-01-02T00:00:00Z"));
    expect(recordIn(withRecord(entryText(entry, key)), key)).toBeUndefined();
  });
});

it("the digest of a text that a user chooses signs no record", () => {
  const content = '{"id":"7"}';
  const digest = digestOf({ environment: { installationKey: key } } as Context);
  const signatures = [content, `record uid-1 Firewall ${content}`].map((chosen) =>
    Buffer.from(digest(chosen), "hex").toString("base64url"),
  );
  const records = signatures.map((signature) => withRecord(`{"id":"7","signature":"${signature}"}`));
  expect(records.map((one) => recordIn(one, key))).toEqual([undefined, undefined]);
  // A digest without a prefix would be one.
  const plain = createHmac("sha256", key).update(`record uid-1 Firewall ${content}`).digest("base64url");
  expect(recordIn(withRecord(`{"id":"7","signature":"${plain}"}`), key)).toEqual({ id: "7" });
});

describe("a record of a former key", () => {
  const text = recordText(object, facts, other);
  const details = { collection: "/networking/firewalls", pattern: {}, known: [], epoch: "e" };
  const entryBy = (by: typeof key) => ({
    "cloudplatform.dev/journal": entryText(newEntry(object, { uid: 1 }, details, new Date("2026-01-02T00:00:00Z")), by),
  });
  const worth = (since: string | undefined, annotations: Record<string, string> = {}) =>
    storedRecord(
      { installationKey: key, installationKeySince: since },
      withRecord(text, { metadata: { ...metadata, annotations } }),
    );

  it("is believed of an object that is older than the key, but for what nothing else shows", () => {
    const { deletedID: _deleted, refusedAttempt: _refused, discarded: _discarded, ...believed } = facts;
    const { result: _, made: __, ...begun } = run;
    expect(worth("2026-01-03T00:00:00Z")).toEqual({ ...believed, run: begun });
    expect(worth("2026-01-03T00:00:00Z", entryBy(other))).toMatchObject({ id: "7" });
  });

  it("is worth nothing on an object that is younger than the key, or has an entry of the key", () => {
    expect(worth("2026-01-01T00:00:00Z")).toEqual({});
    expect(worth("2026-01-03T00:00:00Z", entryBy(key))).toEqual({});
  });
});
