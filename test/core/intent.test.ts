import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../src/cluster/types.ts";
import { apiTime, candidates, intentAnnotation, intentOf, newIntent } from "../../src/core/intent.ts";

const object = (name: string, uid: string, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: "cloudplatform.dev/v1alpha1",
  kind: "SSHKey",
  metadata: {
    name,
    namespace: "shop",
    uid,
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
    annotations,
  },
});
const pattern = { label: "laptop", ssh_key: "k" };
const details = { collection: "/profile/sshkeys", pattern, known: ["7"], epoch: "e1" };
const intent = newIntent(object("laptop", "u1"), details, new Date("2026-01-01T12:00:00.400Z"));
const stored = { [intentAnnotation]: JSON.stringify(intent) };

describe("the intent on an object", () => {
  test.each([
    { carrier: object("laptop", "u1", stored), found: true, because: "its own" },
    { carrier: object("laptop", "u2", stored), found: true, because: "a restored object has another UID" },
    { carrier: object("desktop", "u3", stored), found: false, because: "a copied manifest has another name" },
    { carrier: object("laptop", "u1", { [intentAnnotation]: "{broken" }), found: false, because: "no JSON" },
    { carrier: object("laptop", "u1", { [intentAnnotation]: "{}" }), found: false, because: "not all of an intent" },
    { carrier: object("laptop", "u1"), found: false, because: "none" },
  ])("counts ($found) when it is: $because", ({ carrier, found }) => {
    expect(intentOf(carrier) !== undefined).toBe(found);
  });
});

describe("candidates for a lost creation", () => {
  const row = (fields: object) => ({ label: "laptop", ssh_key: "k", created: "2026-01-01T12:00:00", ...fields });
  const find = (id: string, fields: object, claimed: string[] = []) =>
    candidates(new Map([[id, row(fields)]]), {
      intent,
      createdField: "created",
      claimed: (one) => claimed.includes(one),
    });

  test.each([
    { id: "8", fields: {}, found: ["8"], because: "made in the same second: the service's clock has no finer one" },
    { id: "8", fields: { created: "2026-01-01T12:00:09" }, found: ["8"], because: "made after the intent" },
    { id: "8", fields: { created: "2026-01-01T11:59:59" }, found: [], because: "made before the intent" },
    { id: "7", fields: {}, found: [], because: "known before the intent" },
    { id: "8", fields: { ssh_key: "other" }, found: [], because: "a near match only" },
  ])("$because", ({ id, fields, found }) => {
    expect(find(id, fields)).toEqual(found);
  });

  test("what another object has recorded is no candidate", () => {
    expect(find("8", {}, ["8"])).toEqual([]);
  });
});

test("timestamps of the API are UTC, with and without a zone", () => {
  expect(apiTime("2026-01-01T12:00:00")).toBe(Date.UTC(2026, 0, 1, 12));
  expect(apiTime("2026-01-01T12:00:00Z")).toBe(Date.UTC(2026, 0, 1, 12));
});
