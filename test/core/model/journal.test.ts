import { journalAnnotation } from "../../../src/core/kind/annotations.ts";
import { createSecretKey } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../src/cluster/types.ts";
import { newEntry, provenEntry, entryText } from "../../../src/core/model/journal.ts";
import { apiTime } from "../../../src/core/model/origin.ts";
import { candidates } from "../../../src/core/model/candidates.ts";

const key = createSecretKey(Buffer.alloc(32, 7));
const object = (name: string, uid: string, annotation?: string): KubeObject => ({
  apiVersion: "cloudplatform.dev/v1alpha1",
  kind: "SSHKey",
  metadata: {
    name,
    namespace: "shop",
    uid,
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
    ...(annotation !== undefined && { annotations: { [journalAnnotation]: annotation } }),
  },
});
const pattern = { label: "laptop", ssh_key: "k" };
const details = { collection: "/profile/sshkeys", pattern, known: ["7"], epoch: "e1" };
const account = { euuid: "A-1", uid: 5 };
const entry = newEntry(object("laptop", "u1"), account, details, new Date("2026-01-01T12:00:00.400Z"));
const text = entryText(entry, key);

describe("what the annotation of an object is worth", () => {
  test.each([
    { carrier: object("laptop", "u1", text), state: "proven", because: "its own" },
    { carrier: object("laptop", "u2", text), state: "proven", because: "a restored object has another UID" },
    { carrier: object("desktop", "u3", text), state: "copied", because: "a copied manifest has another name" },
    {
      carrier: { ...object("laptop", "u1", text), kind: "Firewall" },
      state: "copied",
      because: "it is of another kind",
    },
    { carrier: object("laptop", "u1", "{broken"), state: "unproven", because: "it is no JSON" },
    { carrier: object("laptop", "u1", "{}"), state: "unproven", because: "it is not all of an entry" },
    { carrier: object("laptop", "u1", JSON.stringify(entry)), state: "unproven", because: "it is not signed" },
    {
      carrier: object("laptop", "u1", entryText(entry, createSecretKey(Buffer.alloc(32, 8)))),
      state: "unproven",
      because: "another installation signed it",
    },
    {
      carrier: object("laptop", "u1", text.replace('"name":"laptop"', '"name":"other"')),
      state: "unproven",
      because: "it is of another name and was not signed so: no manifest that was copied",
    },
    {
      carrier: object("laptop", "u1", text.replace('"known":["7"]', '"known":[]')),
      state: "unproven",
      because: "a member was changed",
    },
    {
      carrier: object("laptop", "u1", text.replace('{"uid"', '{"is":{"id":"1001"},"uid"')),
      state: "unproven",
      because: "a member was added",
    },
    { carrier: object("laptop", "u1"), state: "absent", because: "there is none" },
  ])("$state: $because", ({ carrier, state }) => {
    expect(provenEntry(carrier, key).state).toBe(state);
  });

  test("all of it comes back", () => {
    expect(provenEntry(object("laptop", "u1", text), key)).toEqual({ state: "proven", entry });
  });
});

describe("candidates for a lost creation", () => {
  const find = (id: string, fields: object, claimed: string[] = []) =>
    candidates(new Map([[id, { label: "laptop", ssh_key: "k", ...fields }]]), {
      desired: { name: "", namespace: "", spec: {}, refs: {} },
      entry,
      kind: { fields: {} },
      claimed: (one) => claimed.includes(one),
    });

  test.each([
    { id: "8", fields: {}, found: ["8"], because: "it shows the request" },
    { id: "7", fields: {}, found: [], because: "known before the entry" },
    { id: "8", fields: { ssh_key: "other" }, found: [], because: "a near match only" },
  ])("$because", ({ id, fields, found }) => {
    expect(find(id, fields)).toEqual(found);
  });

  test("a row that another object claims is no candidate", () => {
    expect(find("8", {}, ["8"])).toEqual([]);
  });
});

test("timestamps of the API are UTC, with and without a zone", () => {
  expect(apiTime("2026-01-01T12:00:00")).toBe(Date.UTC(2026, 0, 1, 12));
  expect(apiTime("2026-01-01T12:00:00Z")).toBe(Date.UTC(2026, 0, 1, 12));
});
