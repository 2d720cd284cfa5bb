import { expect, it } from "vitest";
import { resources } from "../../src/twin/definitions.ts";
import type { KubeWrite } from "../world/cluster.ts";
import { createWorld } from "../world/world.ts";
import { cure } from "./cure.ts";
import { keepChronicle } from "./chronicle.ts";
import { invariants, violationsOf } from "./invariants.ts";
import type { Stage } from "./actor.ts";
import type { Life } from "./story.ts";

const nobody: Life = {
  residents: [],
  cloudMs: 0,
  kubeMs: 0,
  lagMs: 0,
  dateAheadMs: 0,
  reuseIds: false,
  events: false,
  commands: [],
};
const walls = "/networking/firewalls";
const rules = { inbound: [], outbound: [], inbound_policy: "DROP", outbound_policy: "ACCEPT" };
const ready = {
  type: "Ready",
  status: "True",
  reason: "Ready",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};
const firewalls = {
  group: "cloudplatform.dev",
  version: "v1alpha1",
  plural: "firewalls",
  kind: "Firewall",
  namespaced: true,
};

/** A world without an operator, in which the test does what an operator must not. */
function begin(): Stage {
  const world = createWorld({ start: false });
  world.cloud.addUser({ token: "b", username: "bob", account: world.cloud.user("ada").account });
  return { world, life: nobody, chronicle: keepChronicle(world) };
}

function send(stage: Stage, method: string, path: string, body?: object): void {
  stage.world.cloud.asOperator(method, path, body as never);
}

function status({ world }: Stage, name: string, given: object): void {
  world.cluster.objects.patch(firewalls, { namespace: "default", name }, { status: given }, "status");
}

/** A firewall and an instance of the operator's making, attached to each other `times` times. */
function attach(stage: Stage, times: number): void {
  send(stage, "POST", instances, { label: "i", region: "r", type: "t" });
  send(stage, "POST", walls, { label: "a", rules });
  for (let time = 0; time < times; time += 1)
    send(stage, "POST", `${walls}/1002/devices`, { id: 1001, type: "compute" });
}

/** A firewall that is ready, and whose row does not know of `spec`. */
function ownWall(stage: Stage, spec: object): void {
  stage.world.cluster.create("Firewall", "a", { ...wall, ...spec });
  send(stage, "POST", walls, { label: "a", rules });
  status(stage, "a", { id: "1001", observedGeneration: 1, conditions: [ready] });
}

/** A database that is ready, and of which no Secret tells. */
function ownDatabase(stage: Stage): void {
  const database = { engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1" };
  const ref = { namespace: "default", name: "a" };
  stage.world.cluster.create("ManagedMySQL", "a", database);
  send(stage, "POST", "/databases/mysql/instances", { label: "a", ...database });
  const id = stage.world.cloud.history()[0]?.id;
  const resource = resources.get("ManagedMySQL")!;
  stage.world.cluster.objects.patch(
    resource,
    ref,
    { status: { id, observedGeneration: 1, conditions: [ready] } },
    "status",
  );
}

function seen(stage: Stage): string[] {
  return violationsOf(stage, { requests: 0, writes: 0 }).map(({ invariant, what }) => `${invariant}: ${what}`);
}

const instances = "/compute/instances";
const wall = { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" };

const cases: [invariant: string, what: string, run: (stage: Stage) => void | Promise<void>][] = [
  [
    "nothing twice",
    "made beside one of the same name, of the operator's own making",
    (stage) => {
      send(stage, "POST", "/profile/sshkeys", { label: "a", ssh_key: "k" });
      send(stage, "POST", "/profile/sshkeys", { label: "a", ssh_key: "k" });
    },
  ],
  ["none without an owner", "left after its object", (stage) => send(stage, "POST", walls, { label: "a", rules })],
  [
    "none without an owner",
    "left beside a live object",
    (stage) => {
      stage.world.cluster.create("Firewall", "a", wall);
      send(stage, "POST", walls, { label: "a", rules });
    },
  ],
  [
    "nothing foreign touched",
    "PUT on what others made",
    (stage) => {
      const { id } = stage.world.cloud.add(walls, { label: "a", rules });
      send(stage, "PUT", `${walls}/${id}`, { label: "b" });
    },
  ],
  [
    "nothing deleted but by its owner",
    "deleted and nobody asked for it",
    (stage) => {
      send(stage, "POST", walls, { label: "a", rules });
      send(stage, "DELETE", `${walls}/${stage.world.cloud.history()[0]?.id}`);
    },
  ],
  [
    "nothing deleted but by its owner",
    "deleted under a live owner",
    (stage) => {
      stage.world.cluster.create("Firewall", "a", wall);
      send(stage, "POST", walls, { label: "a", rules });
      const { id = "" } = stage.world.cloud.history()[0] ?? {};
      status(stage, "a", { id });
      send(stage, "DELETE", `${walls}/${id}`);
    },
  ],
  [
    "settled, then silent",
    "still sends PUT /networking/firewalls/*",
    (stage) => {
      const { id } = stage.world.cloud.add(walls, { label: "a", rules });
      send(stage, "PUT", `${walls}/${id}`, {});
    },
  ],
  [
    "nothing is read again and again once all is settled",
    "reads /networking/firewalls/*",
    (stage) => {
      for (let count = 0; count < 20; count += 1) send(stage, "GET", `${walls}/1`);
    },
  ],
  [
    "no internal error",
    "InternalError: what * was",
    (stage) => {
      stage.world.cluster.create("Firewall", "a", wall);
      status(stage, "a", {
        conditions: [{ ...ready, status: "False", reason: "InternalError", message: "what 12 was" }],
      });
    },
  ],
  [
    "stuck names a way out",
    "still Creating in the end: ",
    (stage) => {
      stage.world.cluster.create("Firewall", "a", wall);
      status(stage, "a", { conditions: [{ ...ready, status: "False", reason: "Creating" }] });
    },
  ],
  [
    "ready means so",
    "ready without anything in the cloud",
    (stage) => {
      stage.world.cluster.create("Firewall", "a", wall);
      status(stage, "a", { id: "7", observedGeneration: 1, conditions: [ready] });
    },
  ],
  [
    "one owner each",
    "two objects are ready with one cloud object",
    (stage) => {
      const { id } = stage.world.cloud.add(walls, { label: "a", rules });
      for (const name of ["a", "b"]) {
        stage.world.cluster.create("Firewall", name, { ...wall, label: "a" });
        status(stage, name, { id, observedGeneration: 1, conditions: [ready] });
      }
    },
  ],
  [
    "an id is attached once, and only where a spec allows it",
    "attached to what no spec names",
    (stage) => attach(stage, 1),
  ],
  [
    "an id is attached once, and only where a spec allows it",
    "attached again to what it is attached to",
    async (stage) => {
      attach(stage, 1);
      await stage.world.advance(1_000);
      send(stage, "POST", `${walls}/1002/devices`, { id: 1001, type: "compute" });
    },
  ],
  [
    "what is ready is attached to all that it names",
    "ready, and attached to other instances than it names",
    (stage) => ownWall(stage, { instanceRefs: [{ id: "7" }] }),
  ],
  [
    "what disrupts is not repeated",
    "rebuild sent again",
    async (stage) => {
      send(stage, "POST", instances, { label: "a", region: "r", type: "t", image: "i" });
      for (let time = 0; time < 2; time += 1) {
        await stage.world.advance(60_000);
        send(stage, "POST", `${instances}/1001/rebuild`, { image: "other" });
      }
    },
  ],
  [
    "no request is repeated without end",
    "a storm of PUT /networking/firewalls/*",
    (stage) => {
      const { id } = stage.world.cloud.add(walls, { label: "a", rules });
      for (let time = 0; time < 6; time += 1) send(stage, "PUT", `${walls}/${id}`, {});
    },
  ],
  [
    "a request on its way is let come to its end",
    "gave up POST /networking/firewalls",
    (stage) => {
      send(stage, "POST", walls, { label: "a", rules });
      Object.assign(stage.world.cloud.ledger()[0] ?? {}, { givenUpAtMs: stage.world.clock.now() + 10 });
    },
  ],
  [
    "one operator at a time",
    "POST /networking/firewalls after the end of the lease",
    (stage) => {
      (stage.world.leaseEnds() as Map<number, number>).set(1, stage.world.clock.now() - 1);
      send(stage, "POST", walls, { label: "a", rules });
    },
  ],
  [
    "what the API server refuses is not asked for in silence",
    "a status that the definition does not allow",
    ({ world }) =>
      void (world.cluster.writes() as KubeWrite[]).push({
        process: 1,
        verb: "patch-status",
        resource: "firewalls",
        key: "default/a",
        error: 'Firewall "a" is invalid: state: too long',
        atMs: 0,
      }),
  ],
  [
    "no tenant waits for another",
    "waited for another account's answers",
    (stage) => {
      stage.slow = [{ place: "second", from: stage.world.clock.now(), troubled: false }];
      stage.world.cluster.create("Firewall", "a", wall);
    },
  ],
  [
    "the bytes of a Secret arrive as they were written",
    "other user data than the Secret holds",
    (stage) => send(stage, "POST", instances, { region: "r", type: "t", metadata: { user_data: "eA==" } }),
  ],
  [
    "nothing is made whose Secret cannot be written",
    "made, and the name of its Secret was taken",
    async (stage) => {
      stage.world.cluster.secret("a-connection", { theirs: "untouched" });
      await stage.world.advance(60_000);
      ownDatabase(stage);
    },
  ],
  ["what is published is there once, and others' Secrets stay", "ready without its Secret", ownDatabase],
  [
    "what is published is there once, and others' Secrets stay",
    "somebody else's was written",
    ({ world }) => void world.cluster.secret("a-connection", { theirs: "untouched", host: "ours" }),
  ],
  [
    "what is ready is as its spec says",
    "ready, and another enabled than wanted",
    (stage) => ownWall(stage, { enabled: false }),
  ],
  [
    "who observes is in nobody's way",
    "observes, and is in conflict",
    (stage) => {
      const { id } = stage.world.cloud.add(walls, { label: "a", rules });
      stage.world.cluster.create("Firewall", "a", wall, { management: { policy: "Observe", adopt: { id } } });
      status(stage, "a", { conditions: [{ ...ready, status: "False", reason: "Conflict" }] });
    },
  ],
  [
    "what is made needs its source no more",
    "made, and waits for what it was made from",
    ({ world }) => {
      const source = { clone: { instanceRef: { name: "b" } } };
      world.cluster.create("ComputeInstance", "a", { region: "r", type: "t", source });
      const conditions = [{ ...ready, status: "False", reason: "WaitingForReference" }];
      const ref = { namespace: "default", name: "a" };
      world.cluster.objects.patch(
        resources.get("ComputeInstance")!,
        ref,
        { status: { id: "1", conditions } },
        "status",
      );
    },
  ],
  [
    "an object knows what it made",
    "in conflict with what it made itself",
    (stage) => {
      stage.world.cluster.create("Firewall", "a", wall);
      send(stage, "POST", walls, { label: "a", rules });
      const message = "1001 exists already";
      status(stage, "a", { conditions: [{ ...ready, status: "False", reason: "Conflict", message }] });
    },
  ],
  [
    "an object knows what it made",
    "deleting, and CreateUncertain after its own DELETE",
    (stage) => {
      stage.world.cluster.create("Firewall", "a", wall);
      stage.world.cluster.objects.patch(
        firewalls,
        { namespace: "default", name: "a" },
        { metadata: { finalizers: ["test/held"] } },
      );
      send(stage, "POST", walls, { label: "a", rules });
      send(stage, "DELETE", `${walls}/1001`);
      stage.world.cluster.delete("Firewall", "a");
      status(stage, "a", { conditions: [{ ...ready, status: "False", reason: "CreateUncertain" }] });
    },
  ],
];

it.each(cases)("%s: %s", async (invariant, what, run) => {
  const stage = begin();
  await run(stage);
  expect(seen(stage)).toContain(`${invariant}: ${what}`);
});

it("every invariant has a test above that breaks it", () => {
  expect(Object.keys(invariants).toSorted()).toEqual([...new Set(cases.map(([invariant]) => invariant))].toSorted());
});

it("the way out works: what was done as told, and changed nothing, is found", async () => {
  const stage = begin();
  stage.world.cluster.create("Firewall", "a", wall);
  const message = 'to take it over, set spec.management.adopt.id: "1001"';
  status(stage, "a", { conditions: [{ ...ready, status: "False", reason: "Conflict", message }] });
  expect((await cure(stage)).map(({ what }) => what)).toEqual([expect.stringContaining("adopt as told")]);
});

it("a world in which nothing happened breaks nothing", () => {
  const stage = begin();
  stage.world.cluster.delete("CloudAccount", "default");
  expect(seen(stage)).toEqual([]);
});
