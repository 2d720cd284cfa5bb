import { expect, it } from "vitest";
import { createWorld } from "../world/world.ts";
import { keepChronicle } from "./chronicle.ts";
import { invariants, violationsOf } from "./invariants.ts";
import type { Stage } from "./act.ts";
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

function seen(stage: Stage): string[] {
  return violationsOf(stage, { requests: 0, writes: 0 }).map(({ invariant, what }) => `${invariant}: ${what}`);
}

const wall = { inboundPolicy: "DROP", outboundPolicy: "ACCEPT" };

it.each<[keyof typeof invariants, string, (stage: Stage) => void]>([
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
    "still Creating after an hour: ",
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
])("%s: %s", (invariant, what, run) => {
  const stage = begin();
  run(stage);
  expect(seen(stage)).toContain(`${invariant}: ${what}`);
});

it("every invariant has a test above that breaks it", () => {
  expect(Object.keys(invariants)).toHaveLength(9);
});

it("a world in which nothing happened breaks nothing", () => {
  const stage = begin();
  stage.world.cluster.delete("CloudAccount", "default");
  expect(seen(stage)).toEqual([]);
});
