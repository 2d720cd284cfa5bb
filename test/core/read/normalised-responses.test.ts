/** Normalising services: responses with other values, lost responses, and mixed-up responses. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import {
  applied,
  begin,
  changes,
  crashedAnywhere,
  create,
  follow,
  idOf,
  left,
  manage,
  messageOf,
  minutes,
  publicKey,
  sshKeys,
  stateOf,
  walls,
} from "../support.ts";

const windowMs = minutes(2);

/** Makes the service change one field of each request that has the field. */
function store({ cloud }: World, field: string, form: (text: string) => string): void {
  cloud.settings.normalise = ({ body }) =>
    typeof body[field] === "string" ? { ...body, [field]: form(body[field]) } : body;
}

const lower = (text: string) => text.toLowerCase();

describe("An SSHKey whose label the service stores in lower case", () => {
  async function created(): Promise<World> {
    const world = await begin();
    store(world, "label", lower);
    create(world, "SSHKey", "web", { label: "Laptop" });
    await world.advance(windowMs);
    return world;
  }

  it("is recorded, and Drifted names both values", async () => {
    const world = await created();
    expect(world.cluster.get("SSHKey", "web")).toBeReady();
    expect(idOf(world, "SSHKey", "web")).toBe(left(world)[0]?.id);
    const drifted = conditionOf(world.cluster.get("SSHKey", "web"), "Drifted");
    expect(drifted?.message).toBe('spec.label: cloud has "laptop", spec says "Laptop"');
  });

  it("gets one POST and one PUT in half an hour", async () => {
    const world = await created();
    await world.advance(minutes(28));
    expect(changes(world)).toEqual([`POST ${sshKeys}`, `PUT ${sshKeys}/${left(world)[0]?.id}`]);
  });

  it("is created once and deleted with its object, wherever the operator ends", { timeout: 60_000 }, async () => {
    const scene = async () => {
      const world = await begin();
      store(world, "label", lower);
      create(world, "SSHKey", "web", { label: "Laptop" });
      return world;
    };
    const isRight = async (world: World) => {
      const once = stateOf(world, "SSHKey", "web") === "Ready" && applied(world, "POST").length === 1;
      world.cluster.delete("SSHKey", "web");
      await world.advance(windowMs);
      return once && left(world).length === 0;
    };
    expect(await crashedAnywhere(scene, isRight)).toEqual([]);
  });
});

describe("A create request without a response is found in the normal form of the kind", () => {
  const zone = { domain: "example.org", type: "master", soaEmail: "ada@example.org" };
  const record = { domainRef: { name: "zone" }, type: "TXT", name: "www", target: "some text" };
  const forms: { kind: string; spec: JsonObject; field: string; form: (text: string) => string; what: string }[] = [
    { kind: "SSHKey", spec: { label: "Laptop", sshKey: publicKey }, field: "label", form: lower, what: "case" },
    {
      kind: "SSHKey",
      spec: { sshKey: publicKey.replace(" ada", "   ada") },
      field: "ssh_key",
      form: (text) => text.replaceAll(/ +/g, " "),
      what: "white space within a text",
    },
    {
      kind: "DomainRecord",
      spec: { ...record, target: " some text " },
      field: "target",
      form: (text) => text.trim(),
      what: "white space at both ends",
    },
    { kind: "DomainRecord", spec: record, field: "target", form: (text) => `"${text}"`, what: "quotes" },
    { kind: "DomainRecord", spec: record, field: "name", form: (text) => `${text}.`, what: "a trailing period" },
    {
      kind: "DomainRecord",
      spec: { ...record, name: "www.example.org.example.org" },
      field: "name",
      form: (text) => text.replace(/\.example\.org$/, ""),
      what: "the name of the zone at the end",
    },
    { kind: "DomainRecord", spec: record, field: "name", form: (text) => `${text}.example.org`, what: "a full name" },
    { kind: "Domain", spec: zone, field: "domain", form: (text) => `${text.toUpperCase()}.`, what: "case and period" },
  ];

  it.each(forms)("$kind: $what", async ({ kind, spec, field, form }) => {
    const world = await begin();
    world.cluster.create("Domain", "zone", { ...zone, ...(kind === "Domain" && { domain: "other.example" }) });
    await world.advance(windowMs);
    const since = world.cloud.ledger().length;
    store(world, field, form);
    world.cloud.fault({ kind: "lostAfter", method: "POST" });
    world.cluster.create(kind, "one", spec);
    await world.advance(windowMs);
    expect(stateOf(world, kind, "one"), messageOf(world, kind, "one")).toBe("Ready");
    expect(changes(world, since).filter((change) => change.startsWith("POST"))).toHaveLength(1);
    world.cluster.delete(kind, "one");
    await world.advance(windowMs);
    expect(left(world)).toHaveLength(1);
  });
});

describe("A create request without a response that left a near match", () => {
  async function uncertain(): Promise<{ world: World; id: string }> {
    const world = await begin();
    store(world, "label", (text) => `${text}-2`);
    world.cloud.fault({ kind: "lostAfter", method: "POST" });
    create(world, "SSHKey", "web");
    await world.settle();
    await world.advance(windowMs);
    return { world, id: left(world)[0]?.id ?? "" };
  }

  it("is CreateUncertain, names the ID, and is not sent again", async () => {
    const { world, id } = await uncertain();
    await world.advance(minutes(30));
    expect(stateOf(world, "SSHKey", "web")).toBe("CreateUncertain");
    expect(messageOf(world, "SSHKey", "web")).toContain(`set spec.management.adopt.id: "${id}"`);
    expect(applied(world, "POST")).toEqual([sshKeys]);
  });

  it("is settled by adopt.id, and the object reports the difference", async () => {
    const { world, id } = await uncertain();
    manage(world, "SSHKey", "web", { adopt: { id } });
    await world.advance(windowMs);
    expect(idOf(world, "SSHKey", "web")).toBe(id);
    expect(conditionOf(world.cluster.get("SSHKey", "web"), "Drifted")?.message).toContain('"web-2"');
    expect(applied(world, "POST")).toEqual([sshKeys]);
  });

  it("is sent again if the user says so", async () => {
    const { world } = await uncertain();
    world.cloud.settings.normalise = undefined;
    follow(world, "SSHKey", "web", "retry-create");
    await world.advance(windowMs);
    expect(world.cluster.get("SSHKey", "web")).toBeReady();
    expect(left(world)).toHaveLength(2);
  });

  it("waits for the user before its object is deleted", async () => {
    const { world, id } = await uncertain();
    world.cluster.delete("SSHKey", "web");
    await world.advance(minutes(20));
    expect(world.cluster.get("SSHKey", "web")).toBeDefined();
    manage(world, "SSHKey", "web", { adopt: { id } });
    await world.advance(windowMs);
    expect(world.cluster.get("SSHKey", "web")).toBeUndefined();
    expect(left(world)).toEqual([]);
  });

  it("is no reason to wait for a cloud object that another object requested", async () => {
    const world = await begin();
    world.cloud.fault({ kind: "lostAfter", method: "POST" });
    world.cloud.fault({ kind: "lostBefore", method: "POST" });
    create(world, "SSHKey", "one");
    create(world, "SSHKey", "two");
    await world.advance(minutes(3));
    expect([stateOf(world, "SSHKey", "one"), stateOf(world, "SSHKey", "two")]).toEqual(["Ready", "Ready"]);
  });

  it("is no reason to wait for a cloud object from before the request", async () => {
    const world = await begin();
    world.cloud.add(sshKeys, { label: "web-2", ssh_key: publicKey });
    await world.advance(minutes(10));
    world.cloud.fault({ kind: "lostBefore", method: "POST" });
    create(world, "SSHKey", "web");
    await world.advance(minutes(3));
    expect(world.cluster.get("SSHKey", "web")).toBeReady();
  });
});

describe("A response that shows another cloud object", () => {
  /** Returns the row with a label at the time of the response. */
  const lazily = (world: World, path: string, label: string) => ({
    get fields(): JsonObject {
      return world.cloud.rows(path).find((row) => row["label"] === label) ?? {};
    },
  });

  it.each([
    { when: "while the other object has no response", otherMs: 20_000 },
    { when: "after the other object recorded the ID", otherMs: 100 },
  ])(
    "of another object of the operator, $when, is not recorded, and both objects become Ready",
    async ({ otherMs }) => {
      const world = await begin();
      world.cloud.fault({ kind: "answersFor", method: "POST", ms: 5_000, row: lazily(world, sshKeys, "two") });
      world.cloud.fault({ kind: "slow", method: "POST", ms: otherMs });
      create(world, "SSHKey", "one");
      create(world, "SSHKey", "two");
      await world.advance(minutes(3));
      for (const name of ["one", "two"]) {
        expect(stateOf(world, "SSHKey", name), messageOf(world, "SSHKey", name)).toBe("Ready");
        expect(world.cloud.find(sshKeys, idOf(world, "SSHKey", name))?.fields["label"]).toBe(name);
      }
      expect(applied(world, "POST")).toEqual([sshKeys, sshKeys]);
    },
  );

  it("with the tag of another installation is not recorded", async () => {
    const world = await begin();
    const row = {
      get fields(): JsonObject {
        const rules = { inbound: [], outbound: [], inbound_policy: "DROP", outbound_policy: "ACCEPT" };
        return world.cloud.add(walls, { label: "theirs", tags: ["cpo-other"], rules }).fields;
      },
    };
    world.cloud.fault({ kind: "answersFor", method: "POST", row });
    create(world, "Firewall", "web");
    await world.advance(minutes(3));
    expect(world.cluster.get("Firewall", "web")).toBeReady();
    world.cluster.delete("Firewall", "web");
    await world.advance(minutes(3));
    expect(world.cloud.rows(walls)).toMatchObject([{ label: "theirs" }]);
  });

  it("in a list, with a longer name than the new object of a bucket, is not recorded", async () => {
    const world = createWorld();
    world.cluster.create("Bucket", "media", { cluster: "us-east-1" });
    await world.advance(windowMs);
    const bucket = world.cloud.history().find(({ path }) => path === "/object-storage/buckets");
    const objects = { "a.txt.old": { content: "", acl: "private" } };
    if (bucket) bucket.beside["objects"] = objects;
    world.cloud.settings.normalise = ({ path, body }) =>
      path.endsWith("/object-url") ? { ...body, name: "elsewhere" } : body;
    world.cluster.secret("content", { content: "text" });
    const spec = { bucketRef: { name: "media" }, objectKey: "a.txt", contentSecretRef: { name: "content" } };
    world.cluster.create("BucketObject", "a", spec);
    await world.advance(10_000);
    expect(idOf(world, "BucketObject", "a")).toBe("");
    expect(stateOf(world, "BucketObject", "a")).toBe("Creating");
  });
});
