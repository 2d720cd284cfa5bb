/** What waits for a person says so in one event, once it has waited for a while; what passes by itself has none. */
import { describe, expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { CreateOptions, World } from "../../world/world.ts";
import { changes, idOf, manage, paths, specs, stateOf } from "../support.ts";

const second = 1_000;
const minute = 60_000;
const wall = { ...specs.Firewall, instanceRefs: [{ name: "web" }] };
const rootPasswordSecretRef = { name: "root", key: "password" };
const withSecret = { ...specs.ComputeInstance, rootPasswordSecretRef };
const withAccount = { ...specs.SSHKey, accountRef: { name: "nobodys" } };

/** Events of one object, as `type reason: note`. */
function told({ cluster }: World, of: string): string[] {
  return cluster
    .events()
    .filter(({ kind, key }) => `${kind}/${key}` === of.replace("/", "/default/"))
    .map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
}

interface Row {
  what: string;
  kind: string;
  spec: object;
  options?: CreateOptions;
  before?: (world: World) => void;
  after?: (world: World) => void;
  event: RegExp;
}

const rows: Row[] = [
  {
    what: "an object that is not there",
    kind: "Firewall",
    spec: wall,
    event: /^Warning WaitingForReference: spec\.instanceRefs\[0\]\.name: ComputeInstance web does not exist/,
  },
  {
    what: "a Secret that is not there",
    kind: "ComputeInstance",
    spec: { ...specs.ComputeInstance, rootPasswordSecretRef },
    event: /^Warning WaitingForSecret: spec\.rootPasswordSecretRef: Secret root does not exist/,
  },
  {
    what: "a key that the Secret does not have",
    kind: "ComputeInstance",
    spec: { ...specs.ComputeInstance, rootPasswordSecretRef },
    before: ({ cluster }) => void cluster.secret("root", { other: "of-no-interest" }),
    event: /^Warning WaitingForSecret: spec\.rootPasswordSecretRef: Secret root has no key password/,
  },
  {
    what: "an account that is not there",
    kind: "SSHKey",
    spec: { ...specs.SSHKey, accountRef: { name: "nobodys" } },
    event: /^Warning WaitingForAccount: spec\.accountRef: CloudAccount nobodys does not exist/,
  },
  {
    what: "an approval",
    kind: "Firewall",
    spec: specs.Firewall,
    options: { management: { policy: "Plan" } },
    event: /^Normal WaitingForApproval: Creates a firewall with label "one"\. .*cloudplatform\.dev\/approve=/,
  },
  {
    what: "the deletion of what refers to it",
    kind: "ComputeInstance",
    spec: specs.ComputeInstance,
    after({ cluster }) {
      cluster.create("Firewall", "wall", { ...specs.Firewall, instanceRefs: [{ name: "one" }] });
      cluster.delete("ComputeInstance", "one");
    },
    event:
      /^Warning WaitingForDependents: This object is still referred to by Firewall wall\. The operator deletes this object when no object refers to it\. Delete them, or change their references$/,
  },
  {
    what: "a code that was sent by SMS",
    kind: "PhoneVerification",
    spec: { phoneNumber: "+436601234567", isoCode: "AT", codeSecretRef: { name: "code" } },
    event: /^Normal CodeSent: A code was sent by SMS to \+436601234567\. Put it into key code of Secret code/,
  },
];

describe("an event tells of what waits for", () => {
  it.each(rows)("$what", async ({ kind, spec, options, before, after, event }) => {
    const world = createWorld();
    before?.(world);
    world.cluster.create(kind, "one", spec, options);
    await world.advance(minute);
    after?.(world);
    await world.advance(minute);
    const waits = (): string[] => told(world, `${kind}/one`).filter((one) => event.test(one));
    expect(waits(), told(world, `${kind}/one`).join("\n")).toHaveLength(1);
    const events = world.cluster.events().length;
    await world.advance(60 * minute);
    world.restart();
    await world.advance(60 * minute);
    expect(world.cluster.events()).toHaveLength(events);
  });
});

it.each([
  { what: "a missing object", kind: "Firewall", spec: wall, afterSeconds: 2 },
  { what: "a missing Secret", kind: "ComputeInstance", spec: withSecret, afterSeconds: 2 },
  { what: "a missing account", kind: "SSHKey", spec: withAccount, afterSeconds: 10 },
])("an object that waits for $what has an event after $afterSeconds seconds", async ({ kind, spec, afterSeconds }) => {
  const world = createWorld();
  await world.advance(minute);
  world.cluster.create(kind, "one", spec);
  await world.advance(afterSeconds * second - 100);
  expect(told(world, `${kind}/one`)).toEqual([]);
  await world.advance(200);
  expect(told(world, `${kind}/one`)).toHaveLength(1);
});

it("it costs no write of the object and no request beside what was sent before", async () => {
  const world = createWorld();
  world.cluster.create("Firewall", "wall", wall);
  await world.advance(second);
  const written = world.cluster.writes().length;
  const asked = world.cloud.ledger().length;
  await world.advance(10 * second);
  expect(told(world, "Firewall/wall")).toHaveLength(1);
  expect(world.cluster.writes()).toHaveLength(written);
  expect(world.cloud.ledger()).toHaveLength(asked);
});

it("a wait of one second, as in one apply, has no event", async () => {
  const world = createWorld();
  world.cluster.create("Firewall", "wall", wall);
  await world.advance(second);
  expect(stateOf(world, "Firewall", "wall")).toBe("WaitingForReference");
  world.cluster.create("ComputeInstance", "web", { ...specs.ComputeInstance, rootPasswordSecretRef });
  await world.advance(second);
  expect(stateOf(world, "ComputeInstance", "web")).toBe("WaitingForSecret");
  world.cluster.secret("root", { password: "of-no-interest-1" });
  await world.advance(20 * minute);
  expect(world.cluster.get("Firewall", "wall")).toBeReady();
  expect(told(world, "Firewall/wall")).toEqual([expect.stringMatching(/^Normal Created: /)]);
  expect(told(world, "ComputeInstance/web")).toEqual([expect.stringMatching(/^Normal Created: /)]);
});

it("what waits for an object that is still to be made leaves the event to that one", async () => {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "web", { ...specs.ComputeInstance, rootPasswordSecretRef });
  world.cluster.create("Firewall", "wall", wall);
  await world.advance(30 * minute);
  expect(stateOf(world, "Firewall", "wall")).toBe("WaitingForReference");
  expect(told(world, "Firewall/wall")).toEqual([]);
  expect(told(world, "ComputeInstance/web")).toEqual([expect.stringMatching(/^Warning WaitingForSecret: /)]);
});

it("another message is told anew, and one that stands is not told again after a change of something else", async () => {
  const world = createWorld();
  world.cluster.create("Firewall", "wall", wall);
  await world.advance(minute);
  world.cluster.patch("Firewall", "wall", { spec: { inboundPolicy: "ACCEPT" } });
  await world.advance(minute);
  expect(told(world, "Firewall/wall")).toHaveLength(1);
  world.cluster.patch("Firewall", "wall", { spec: { instanceRefs: [{ name: "web-2" }] } });
  await world.advance(minute);
  expect(told(world, "Firewall/wall")).toHaveLength(2);
  expect(told(world, "Firewall/wall").at(-1)).toContain("ComputeInstance web-2 does not exist");
});

it("a wait that is over, or whose object is gone, before it is told is not told", async () => {
  const world = createWorld();
  world.cluster.create("Firewall", "gone", wall);
  world.cluster.create("Firewall", "mended", wall);
  await world.advance(second);
  world.cluster.delete("Firewall", "gone");
  world.cluster.patch("Firewall", "mended", { spec: { instanceRefs: null } });
  await world.advance(minute);
  expect(told(world, "Firewall/gone")).toEqual([]);
  expect(told(world, "Firewall/mended")).toEqual([expect.stringMatching(/^Normal Created: /)]);
});

it("a process that is not the one that saw the wait begin tells nothing", async () => {
  const world = createWorld();
  world.cluster.create("Firewall", "wall", wall);
  await world.advance(minute);
  const events = world.cluster.events().length;
  for (let index = 0; index < 3; index += 1) {
    world.restart();
    await world.advance(minute);
  }
  expect(world.cluster.events()).toHaveLength(events);
});

it("what is refused at once is told at once, and not again while it waits", async () => {
  const world = createWorld();
  world.cloud.add(paths.Firewall, { label: "one" });
  world.cluster.create("Firewall", "one", specs.Firewall);
  await world.advance(5 * second);
  expect(told(world, "Firewall/one")).toEqual([expect.stringMatching(/^Warning Conflict: /)]);
  expect(changes(world)).toEqual([]);
  expect(idOf(world, "Firewall", "one")).toBe("");
  manage(world, "Firewall", "one", { policy: "Paused" });
  await world.advance(minute);
  expect(told(world, "Firewall/one")).toHaveLength(1);
});
