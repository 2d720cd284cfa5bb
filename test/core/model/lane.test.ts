import { expect, test } from "vitest";
import type { Cache, KubeObject } from "../../../src/cluster/types.ts";
import { laneOf } from "../../../src/core/model/owners.ts";

const metadata = { uid: "u", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };

/** Returns the place of the Domain `zone` in a namespace that names the account of the namespace `shop`. */
function placeIn(namespace: string) {
  const object: KubeObject = {
    apiVersion: "cloudplatform.dev/v1alpha1",
    kind: "Domain",
    metadata: { ...metadata, name: "zone", namespace },
    spec: { accountRef: { namespace: "shop", name: "default" } },
  };
  const cache = { get: () => object } as Partial<Cache> as Cache;
  return laneOf({ caches: new Map([["Domain", cache]]) }, `Domain/${namespace}/zone`);
}

test("objects of two namespaces that name one account have two tenants in the queue, with one lane each", () => {
  expect(placeIn("shop")).toEqual({ tenant: "shop", lane: "shop/default" });
  expect(placeIn("team-c")).toEqual({ tenant: "team-c", lane: "shop/default" });
});

test("a CloudAccount has a lane of its own, and a deleted object stays with its namespace", () => {
  expect(laneOf({ caches: new Map() }, "CloudAccount/shop/default")).toEqual({
    tenant: "shop",
    lane: "CloudAccount/shop/default",
  });
  expect(laneOf({ caches: new Map() }, "Domain/shop/gone")).toEqual({ tenant: "shop", lane: "" });
});
