/** What a request refers to is given to somebody else while the rate limit holds the request. */
import { describe, expect, it } from "vitest";
import type { World } from "../../world/world.ts";
import {
  applied,
  begin,
  calm,
  follow,
  giveAway,
  idOf,
  instances,
  messageOf,
  minutes,
  specs,
  stateOf,
  untilHeld,
} from "../support.ts";

const machine = specs.ComputeInstance;
const heldMs = 8_000;

interface Held {
  kind: string;
  /** What it refers to. */
  of: "ComputeInstance" | "Domain";
  path: string;
  /** Of the object that refers to the one of this name. */
  spec: (name: string) => object;
  request: RegExp;
}

const domain = { type: "master", soaEmail: "ada@example.org" };
const parents = {
  ComputeInstance: { path: instances, spec: () => machine },
  Domain: { path: "/domains", spec: (name: string) => ({ ...domain, domain: `${name}.example.org` }) },
};

const creations: Held[] = [
  {
    kind: "ComputeInstance",
    of: "ComputeInstance",
    path: instances,
    spec: (name) => ({ region: "us-east", type: "g6-standard-1", source: { clone: { instanceRef: { name } } } }),
    request: /\/clone$/,
  },
  {
    kind: "ComputeDisk",
    of: "ComputeInstance",
    path: instances,
    spec: (name) => ({ instanceRef: { name }, sizeMB: 1_024 }),
    request: /\/disks$/,
  },
  {
    kind: "DomainRecord",
    of: "Domain",
    path: "/domains",
    spec: (name) => ({ domainRef: { name }, type: "A", name: "www", target: "192.0.2.1" }),
    request: /\/records$/,
  },
  {
    kind: "Firewall",
    of: "ComputeInstance",
    path: instances,
    spec: (name) => ({ ...specs.Firewall, instanceRefs: [{ name }] }),
    request: /\/networking\/firewalls$/,
  },
  {
    kind: "IPAddress",
    of: "ComputeInstance",
    path: instances,
    spec: (name) => ({ instanceRef: { name }, public: true }),
    request: /\/networking\/ips$/,
  },
];

/** Two that are ready, and what refers to the second one is told to wait: what refers to the first one is held. */
async function held({ kind, of, spec, request }: Held): Promise<{ world: World; id: string }> {
  const world = await begin(calm);
  for (const name of ["first", "second"]) world.cluster.create(of, name, parents[of].spec(name));
  await world.advance(minutes(6));
  const id = idOf(world, of, "first");
  expect([stateOf(world, of, "first"), id]).toEqual(["Ready", expect.stringMatching(/^\d+$/)]);
  world.cloud.fault({ kind: "tooMany", method: "POST", path: request, ms: heldMs });
  world.cluster.create(kind, "other", spec("second"));
  await untilHeld(world);
  world.cluster.create(kind, "own", spec("first"));
  await world.advance(3_000);
  expect(applied(world, "POST", request)).toEqual([]);
  return { world, id };
}

describe.each(creations)("a creation of a $kind that is held", (one) => {
  it("does not leave where what it refers to is somebody else's by then", async () => {
    const { world, id } = await held(one);
    giveAway(world, world.cloud.find(one.path, id)!);
    await world.advance(minutes(3));
    const done = sent(world, one.request);
    expect(done.filter((text) => mentions(text, id))).toEqual([]);
    expect(done).toHaveLength(1);
    expect(messageOf(world, one.kind, "own")).toContain("is now a different cloud object");
  });

  it("is known to have sent nothing after a restart as well", async () => {
    const { world, id } = await held(one);
    giveAway(world, world.cloud.find(one.path, id)!);
    await world.advance(minutes(3));
    world.restart();
    await world.advance(minutes(30));
    expect(messageOf(world, one.kind, "own")).toContain("is now a different cloud object");
    world.cluster.delete(one.kind, "own");
    await world.advance(minutes(3));
    expect(world.cluster.get(one.kind, "own")).toBeUndefined();
  });

  it("leaves where it means the same", async () => {
    const { world } = await held(one);
    await world.advance(minutes(3));
    expect(applied(world, "POST", one.request)).toHaveLength(2);
  });
});

describe("what people allowed to be created again", () => {
  async function allowed(spec: object, fault: object, then: (world: World) => void): Promise<World> {
    const world = await begin(calm);
    world.cluster.create("ComputeInstance", "first", machine);
    await world.advance(minutes(6));
    const kind = "instanceRef" in spec ? "IPAddress" : "ComputeInstance";
    world.cloud.fault({ kind: "lostBefore", method: "POST", ...fault });
    world.cluster.create(kind, "own", spec);
    await world.advance(minutes(12));
    then(world);
    follow(world, kind, "own", "retry-create");
    await world.advance(minutes(2));
    return world;
  }

  it("goes on by itself where the proof kept it back", async () => {
    const world = await allowed({ instanceRef: { name: "first" }, public: true }, {}, ({ cloud }) =>
      cloud.fault({ kind: "html502", method: "GET", path: new RegExp(`^${instances}/\\d+$`), times: 10_000 }),
    );
    expect(messageOf(world, "IPAddress", "own")).toContain("was not sent");
    world.cloud.clearFaults();
    await world.advance(minutes(6));
    expect(applied(world, "POST", /\/networking\/ips$/)).toHaveLength(1);
  });

  it.each([false, true])("goes on by itself where the cloud refuses it; restart: %s", async (restart) => {
    const request = /\/networking\/ips$/;
    const world = await allowed({ instanceRef: { name: "first" }, public: true }, {}, ({ cloud }) =>
      cloud.fault({ kind: "refused", method: "POST", path: request, times: 3 }),
    );
    expect(stateOf(world, "IPAddress", "own")).toBe("Refused");
    if (restart) world.restart();
    // Three resyncs, each a tenth late at the most.
    await world.advance(minutes(45));
    expect(applied(world, "POST", request)).toHaveLength(1);
  });

  it("lets its object go where the cloud refuses it", async () => {
    const world = await allowed({ instanceRef: { name: "first" }, public: true }, {}, ({ cloud }) =>
      cloud.fault({ kind: "refused", method: "POST", path: /\/networking\/ips$/, times: 10_000 }),
    );
    world.restart();
    world.cluster.delete("IPAddress", "own");
    await world.advance(minutes(15));
    expect(world.cluster.get("IPAddress", "own"), messageOf(world, "IPAddress", "own")).toBeUndefined();
  });

  it.each([
    { when: "never", fault: {} },
    { when: "while the next one waits", fault: { kind: "lateApply", ms: minutes(13) } },
  ])("goes on by itself where the cloud refuses it for now; the first one is carried out $when", async ({ fault }) => {
    const world = await allowed({ ...machine, label: "own" }, fault, ({ cloud }) =>
      cloud.fault({ kind: "tooMany", method: "POST", ms: 100_000 }),
    );
    await world.advance(minutes(6));
    expect(stateOf(world, "ComputeInstance", "own"), messageOf(world, "ComputeInstance", "own")).toBe("Ready");
    const own = world.cloud.history().filter(({ fields }) => fields["label"] === "own");
    expect(own.map(({ id }) => id)).toEqual([idOf(world, "ComputeInstance", "own")]);
  });
});

it("many that are held and refer to the same cost one read of it", async () => {
  const record = creations.find(({ kind }) => kind === "DomainRecord")!;
  const { world, id } = await held(record);
  for (let index = 0; index < 30; index += 1)
    world.cluster.create("DomainRecord", `more-${index}`, { ...record.spec("first"), name: `more-${index}` });
  const since = world.cloud.ledger().length;
  await world.advance(minutes(1));
  expect(applied(world, "POST", record.request)).toHaveLength(32);
  const reads = world.cloud
    .ledger()
    .slice(since)
    .filter(({ method, path }) => method === "GET" && path === `/domains/${id}`);
  expect(reads.length).toBeLessThanOrEqual(2);
});

/** The requests that took effect, with their bodies. */
function sent({ cloud }: World, request: RegExp): string[] {
  const done = cloud
    .ledger()
    .filter(({ method, path, applied: took }) => method === "POST" && took && request.test(path));
  return done.map(({ path, body }) => `${path} ${JSON.stringify(body)}`);
}

function mentions(text: string, id: string): boolean {
  return new RegExp(`(^|[^\\d.])${id}([^\\d.]|$)`).test(text);
}

it("a step that is held does not attach what is somebody else's by then", async () => {
  const world = await begin(calm);
  for (const name of ["first", "second"]) {
    world.cluster.create("ComputeInstance", name, machine);
    world.cluster.create("Firewall", name, specs.Firewall);
  }
  await world.advance(minutes(6));
  const id = idOf(world, "ComputeInstance", "first");
  world.cloud.fault({ kind: "tooMany", method: "POST", path: /\/devices$/, ms: heldMs });
  const attach = (name: string) => world.cluster.patch("Firewall", name, { spec: { instanceRefs: [{ name }] } });
  attach("second");
  await untilHeld(world);
  attach("first");
  await world.advance(3_000);
  giveAway(world, world.cloud.find(instances, id)!);
  await world.advance(minutes(3));
  expect(sent(world, /\/devices$/)).toEqual([
    expect.stringContaining(`"id":${idOf(world, "ComputeInstance", "second")}`),
  ]);
});

it("a change that names no instance does not wait for one whose GET fails", async () => {
  const world = await begin(calm);
  world.cluster.create("ComputeInstance", "first", machine);
  world.cluster.create("Firewall", "wall", { ...specs.Firewall, instanceRefs: [{ name: "first" }] });
  await world.advance(minutes(6));
  expect(world.cluster.get("Firewall", "wall")).toBeReady();
  world.cloud.fault({ kind: "html502", method: "GET", path: new RegExp(`^${instances}/\\d+$`), times: 10_000 });
  world.cluster.patch("Firewall", "wall", { spec: { inboundPolicy: "ACCEPT" } });
  await world.advance(5_000);
  expect(applied(world, "PUT", /\/rules$/)).toHaveLength(1);
});

it("…nor after a restart, for one of several that no object manages; that one alone waits", async () => {
  const world = await begin(calm);
  const others = ["a", "b"].map((label) => world.cloud.add(instances, { label, region: "us-east", status: "running" }));
  const refs = others.map(({ id }) => ({ id }));
  world.cluster.create("Firewall", "wall", { ...specs.Firewall, instanceRefs: refs.slice(0, 1) });
  await world.advance(minutes(6));
  expect(world.cluster.get("Firewall", "wall")).toBeReady();
  const fault = { kind: "html502", method: "GET", times: 10_000 } as const;
  world.cloud.fault({ ...fault, path: new RegExp(`^${instances}/${others[1]!.id}$`) });
  world.restart();
  world.cluster.patch("Firewall", "wall", { spec: { inboundPolicy: "ACCEPT", instanceRefs: refs } });
  await world.advance(minutes(1));
  expect(applied(world, "PUT", /\/rules$/)).toHaveLength(1);
  expect(sent(world, /\/devices$/)).toEqual([]);
  world.cloud.clearFaults();
  await world.advance(minutes(6));
  expect([stateOf(world, "Firewall", "wall"), sent(world, /\/devices$/).length]).toEqual(["Ready", 1]);
});

describe.each([
  { action: "RestoreBackup", more: { backupID: "12", overwrite: true }, field: "restoreToRef", path: /restore$/ },
  { action: "Clone", more: {}, field: "clone", path: /clone$/ },
])("a $action to another instance that is held", ({ action, more, field, path }) => {
  async function toOther(): Promise<{ world: World; id: string }> {
    const world = await begin(calm);
    for (const name of ["source", "target", "third"]) world.cluster.create("ComputeInstance", name, machine);
    await world.advance(minutes(6));
    const run = (name: string, to: string) => {
      const other = field === "clone" ? { clone: { instanceRef: { name: to } } } : { restoreToRef: { name: to } };
      const spec = { instanceRef: { name: "source" }, action, notAfter: "2099-01-01T00:00:00Z", ...more, ...other };
      world.cluster.create("ComputeAction", name, spec);
    };
    world.cloud.fault({ kind: "tooMany", method: "POST", path, ms: heldMs });
    run("other", "third");
    await untilHeld(world);
    world.cluster.delete("ComputeAction", "other");
    run("own", "target");
    await world.advance(3_000);
    expect(applied(world, "POST", path)).toEqual([]);
    return { world, id: idOf(world, "ComputeInstance", "target") };
  }

  it("is not done to what is somebody else's by then", async () => {
    const { world, id } = await toOther();
    giveAway(world, world.cloud.find(instances, id)!);
    await world.advance(minutes(10));
    expect(applied(world, "POST", path)).toEqual([]);
    expect(messageOf(world, "ComputeAction", "own")).toContain("is now a different cloud object");
  });

  it("runs once where that means the same", async () => {
    const { world } = await toOther();
    await world.advance(minutes(10));
    expect(applied(world, "POST", path)).toHaveLength(1);
    expect(stateOf(world, "ComputeAction", "own"), messageOf(world, "ComputeAction", "own")).toBe("Ready");
  });
});

describe("a snapshot that is held", () => {
  async function ofFirst(): Promise<{ world: World; path: string }> {
    const world = await begin(calm);
    for (const name of ["first", "second"]) world.cluster.create("ComputeInstance", name, machine);
    await world.advance(minutes(6));
    world.cloud.fault({ kind: "tooMany", method: "POST", path: /\/backups$/, ms: heldMs });
    world.cluster.create("ComputeSnapshot", "other", { instanceRef: { name: "second" } });
    await untilHeld(world);
    world.cluster.create("ComputeSnapshot", "own", { instanceRef: { name: "first" } });
    await world.advance(3_000);
    const path = `${instances}/${idOf(world, "ComputeInstance", "first")}/backups`;
    expect(sent(world, /\/backups$/)).toEqual([]);
    return { world, path };
  }

  it("does not delete the one that somebody has taken meanwhile", async () => {
    const { world, path } = await ofFirst();
    world.cloud.asOperator("POST", path, { label: "precious" });
    await world.advance(minutes(10));
    expect(sent(world, new RegExp(`^${path}$`))).toEqual([expect.stringContaining("precious")]);
    expect(messageOf(world, "ComputeSnapshot", "own")).toContain(
      "which a new snapshot would delete. The operator does nothing",
    );
  });

  it("is taken where there is none", async () => {
    const { world, path } = await ofFirst();
    await world.advance(minutes(10));
    expect(sent(world, new RegExp(`^${path}$`))).toHaveLength(1);
    expect(stateOf(world, "ComputeSnapshot", "own"), messageOf(world, "ComputeSnapshot", "own")).toBe("Ready");
  });
});
