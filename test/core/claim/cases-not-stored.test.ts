/** Somebody's admission policy takes out what the operator writes into metadata: without it nothing is created. */
import { expect, it } from "vitest";
import { applied, begin, create, left, messageOf, minutes, ready, shapeNames } from "./scenes.ts";

const cases = shapeNames.flatMap((kind) => (["finalizers", "annotations"] as const).map((what) => ({ kind, what })));

it.each(cases)("a $kind is created once its $what are stored, and says what is missing", async ({ kind, what }) => {
  const world = await begin();
  world.cluster.writeFaults.push({ verb: "patch", how: what, times: Infinity });
  create(world, kind, "web");
  await world.advance(minutes(20));
  expect(applied(world, "POST")).toEqual([]);
  expect(ready(world, kind, "web")).toBe("ClusterUnavailable");
  const missing =
    what === "finalizers" ? "the finalizer cloudplatform.dev/operator" : "the annotation cloudplatform.dev/intent";
  expect(messageOf(world, kind, "web")).toBe(
    `the API server stored this object without ${missing}, which the operator has written. Nothing is created or set until an admission policy or a webhook leaves it in place`,
  );
  const writes = world.cluster.writes().filter(({ key }) => key === "default/web").length;
  expect(writes, "writes in 20 minutes").toBeLessThan(60);
  world.cluster.writeFaults.length = 0;
  await world.advance(minutes(15));
  expect(ready(world, kind, "web")).toBe("Ready");
  world.cluster.delete(kind, "web");
  await world.advance(minutes(10));
  expect(left(world)).toEqual([]);
});
