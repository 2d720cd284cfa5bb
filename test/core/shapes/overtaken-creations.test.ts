/** An object that goes while its cloud object is made: nothing is left in the cloud. */
import { describe, expect, it } from "vitest";
import type { FaultKind } from "../../world/faults.ts";
import type { World } from "../../world/world.ts";
import { begin, calm, create, idOf, left, minutes, shapeNames, stateOf } from "../support.ts";
import type { Shape } from "../support.ts";

/** Each step of a creation takes 10 ms, so that these meet the time before, between and after all of them. */
const moments = Array.from({ length: 14 }, (_, index) => 5 + index * 10);

type Answer = FaultKind | "at once";

const answers: { answer: Answer; because: string }[] = [
  { answer: "at once", because: "the answer comes at once" },
  { answer: "slow", because: "the object goes after the POST was done and before it is answered" },
  { answer: "slowApply", because: "the object goes before the POST is done" },
  { answer: "lostAfter", because: "the answer is lost" },
  { answer: "lateApply", because: "the answer is lost, and the POST is done 6 s later" },
];

async function slowWorld(answer: Answer, times = 1): Promise<World> {
  const world = await begin(calm);
  world.cluster.latency.ms = 10;
  world.cloud.settings.latencyMs = 10;
  if (answer !== "at once")
    world.cloud.fault({ kind: answer, method: "POST", ms: answer === "lateApply" ? 6_000 : 40, times });
  return world;
}

interface Scene {
  kind: Shape;
  answer: Answer;
  /** How many POSTs are answered so; 1 if not given. */
  times?: number;
  spec?: object;
  /** Until the end, minutes. */
  lasts?: number;
}

/** The moments after which something is wrong in the end. */
async function wrongAfter(
  { kind, answer, times, spec, lasts = 12 }: Scene,
  goes: (world: World) => () => void,
  isRight: (world: World) => boolean | Promise<boolean>,
): Promise<number[]> {
  const wrong: number[] = [];
  for (const moment of moments) {
    const world = await slowWorld(answer, times);
    create(world, kind, "web", spec);
    world.clock.schedule(moment, goes(world));
    await world.advance(minutes(lasts));
    if (!(await isRight(world))) wrong.push(moment);
  }
  return wrong;
}

/** Not even in the operator's memory: the account goes, too. */
const nothingLeft = (kind: Shape) => async (world: World) => {
  if (world.cluster.get(kind, "web") !== undefined || left(world).length > 0) return false;
  world.cluster.delete("CloudAccount", "default");
  await world.advance(minutes(1));
  return world.cluster.get("CloudAccount", "default") === undefined;
};

/** The object of that name is another one, and what is left is its own. */
const oneLeft = (kind: Shape) => (world: World) => {
  const rows = left(world);
  return rows.length === 1 && stateOf(world, kind, "web") === "Ready" && rows[0]?.id === idOf(world, kind, "web");
};

/** It is created again as soon as a DELETE that was begun at once ends. */
const madeAnew = (kind: Shape) => (world: World) => {
  const end = world.cluster.beginDelete(kind, "web");
  return () => {
    end();
    create(world, kind, "web");
  };
};

describe.each(shapeNames)("a DELETE of a %s that the API server began before the entry was stored", (kind) => {
  it.each(answers)("leaves nothing in the cloud whenever it ends: $because", async ({ answer }) => {
    const goes = ({ cluster }: World) => cluster.beginDelete(kind, "web");
    expect(await wrongAfter({ kind, answer }, goes, nothingLeft(kind))).toEqual([]);
  });

  it.each(answers)("leaves an object made anew at once its own: $because", async ({ answer }) => {
    expect(await wrongAfter({ kind, answer }, madeAnew(kind), oneLeft(kind))).toEqual([]);
  });
});

describe.each(shapeNames)(
  "a DELETE of a %s that ended before the operator got the answer to its last write",
  (kind) => {
    it.each(answers)("leaves nothing in the cloud: $because", async ({ answer }) => {
      const goes = ({ cluster }: World) => {
        cluster.latency.answerMs = 20;
        return cluster.beginDelete(kind, "web");
      };
      expect(await wrongAfter({ kind, answer }, goes, nothingLeft(kind))).toEqual([]);
    });
  },
);

it.each(shapeNames)(
  "a %s that ends before its POST leaves is told as left behind by nobody, also where watches are late",
  async (kind) => {
    const goes = ({ cluster }: World) => {
      cluster.watch.delayMs = 200;
      return cluster.beginDelete(kind, "web");
    };
    const isTold = ({ cluster }: World) => cluster.events().some(({ reason }) => reason === "LeftBehind");
    expect(await wrongAfter({ kind, answer: "at once" }, goes, (world) => !isTold(world))).toEqual([]);
  },
);

/** Somebody takes the finalizers off and deletes the object, while its POST is under way. */
function strip({ cluster, cloud }: World, kind: Shape): () => void {
  return () => {
    const sent = cloud.ledger().some(({ method }) => method === "POST");
    const saved = cluster.get(kind, "web")?.status?.["id"] !== undefined;
    if (!sent || saved) return;
    cluster.patch(kind, "web", { metadata: { finalizers: null } });
    cluster.delete(kind, "web");
  };
}

describe.each(shapeNames)("a %s whose finalizer is taken off while its POST is under way", (kind) => {
  it.each(answers)("leaves nothing in the cloud: $because", async ({ answer }) => {
    const goes = (world: World) => strip(world, kind);
    const isRight = (world: World) =>
      world.cluster.get(kind, "web") ? stateOf(world, kind, "web") === "Ready" : nothingLeft(kind)(world);
    expect(await wrongAfter({ kind, answer }, goes, isRight)).toEqual([]);
  });

  it.each(answers)("leaves an object made anew at once its own: $because", async ({ answer }) => {
    const goes = (world: World) => () => {
      strip(world, kind)();
      if (!world.cluster.get(kind, "web")) create(world, kind, "web");
    };
    expect(await wrongAfter({ kind, answer }, goes, oneLeft(kind))).toEqual([]);
  });
});

describe.each(shapeNames)(
  "a DELETE of a %s that was begun before the entry was stored, and a watch that is late",
  (kind) => {
    it.each([1, 5, 9])("leaves nothing in the cloud: by %d minutes", async (late) => {
      const world = await begin(calm);
      create(world, kind, "web");
      const end = world.cluster.beginDelete(kind, "web");
      world.cluster.watch.held = true;
      await world.advance(1_000);
      end();
      await world.advance(minutes(late));
      world.cluster.watch.held = false;
      world.cluster.releaseWatches();
      await world.advance(minutes(12));
      expect(await nothingLeft(kind)(world)).toBe(true);
    });
  },
);

/** The other object alone has the name, and what is left is its own. */
const othersAlone = (kind: Shape) => (world: World) => {
  const rows = left(world);
  const isOthers = rows.length === 1 && rows[0]?.id === idOf(world, kind, "other");
  return isOthers && stateOf(world, kind, "other") === "Ready" && world.cluster.get(kind, "web") === undefined;
};

describe.each(shapeNames)("a %s that waits for the name of one whose DELETE was begun before its entry", (kind) => {
  const spec = { label: "shared" };

  it.each(answers)("is made once the other's creation has ended: $because", async ({ answer }) => {
    const goes = (world: World) => {
      world.clock.schedule(5, () => create(world, kind, "other", spec));
      return world.cluster.beginDelete(kind, "web");
    };
    expect(await wrongAfter({ kind, answer, times: 2, spec }, goes, othersAlone(kind))).toEqual([]);
  });
});

describe.each(shapeNames)("a %s that is made anew under the name of one whose creation got no clear answer", (kind) => {
  it("is made, once nothing can come of that any more, and what may be left is told", async () => {
    // Where the first was never sent, the answer is that to its own request, and people decide.
    const isRight = (world: World) =>
      oneLeft(kind)(world) || (stateOf(world, kind, "web") === "CreateUncertain" && left(world).length === 0);
    expect(await wrongAfter({ kind, answer: "empty", lasts: 30 }, madeAnew(kind), isRight)).toEqual([]);
  });
});

describe.each(shapeNames)("a %s that goes during its creation, while its token is rejected", (kind) => {
  it("leaves nothing in the cloud once there is another token, an hour later", async () => {
    const world = await slowWorld("lostAfter");
    create(world, kind, "web");
    const end = world.cluster.beginDelete(kind, "web");
    for (let waited = 0; left(world).length === 0 && waited < 200; waited += 5) await world.advance(5);
    end();
    world.cloud.addToken("rotated", "ada");
    world.cloud.revoke("token-of-default");
    await world.advance(minutes(60));
    expect(left(world)).toHaveLength(1);
    world.cluster.patch("Secret", "cloud-token", { data: { token: Buffer.from("rotated").toString("base64") } });
    await world.advance(minutes(12));
    expect(left(world)).toEqual([]);
  });
});
