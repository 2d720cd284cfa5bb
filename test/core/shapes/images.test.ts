/** Images: of a disk, or of data that somebody else sends to a URL that is in a Secret and nowhere else. */
import { describe, expect, it } from "vitest";
import { signature } from "../../world/storage.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { dataOf } from "../secrets/keys.ts";
import { changes, changesIn, idOf, messageOf, obey, stateOf } from "../support.ts";

const kind = "Image";
const minute = 60_000;
const secretName = "golden-image-upload";
const spec = { label: "golden", source: { handOff: { region: "us-east" } } };

async function handedOff(management?: object): Promise<World> {
  const world = createWorld();
  world.cluster.create(kind, "golden", spec, management && { management });
  await world.advance(minute);
  return world;
}

function living({ cloud }: World): string[] {
  return cloud.history().flatMap(({ path, id, removed }) => (path === "/images" && !removed ? [id] : []));
}

/** What another client sends arrives. */
function upload(world: World): void {
  world.cloud.change("/images", idOf(world, kind, "golden"), { status: "available", size: 2_500 });
}

describe("an image of a disk", () => {
  it("is made with one request and outlives its disk, and a change of its words arrives", async () => {
    const world = createWorld();
    world.cluster.create("ComputeInstance", "web", { region: "us-east", type: "g6-standard-1" });
    world.cluster.create("ComputeDisk", "data", { instanceRef: { name: "web" }, sizeMB: 1_024 });
    world.cluster.create(kind, "golden", { source: { diskRef: { name: "data" } } });
    await world.advance(10 * minute);
    expect(stateOf(world, kind, "golden"), messageOf(world, kind, "golden")).toBe("Ready");
    const disk = Number(idOf(world, "ComputeDisk", "data"));
    const sent = changesIn(world.cloud.ledger()).filter(({ path }) => path === "/images");
    expect(sent.map(({ body }) => body)).toEqual([{ label: "golden", disk_id: disk }]);

    world.cluster.delete("ComputeDisk", "data");
    await world.advance(5 * minute);
    expect(world.cluster.get("ComputeDisk", "data")).toBeUndefined();
    const since = world.cloud.ledger().length;
    world.cluster.patch(kind, "golden", { spec: { description: "of 2026" } });
    await world.advance(minute);
    expect(world.cluster.get(kind, "golden")).toBeReady();
    expect(changes(world, since)).toEqual([`PUT /images/${idOf(world, kind, "golden")}`]);
  });

  it("is not replaced where it is missing, and a public one of its label is nobody's", async () => {
    const world = createWorld();
    world.cloud.add("/images", { id: "compute/debian12", label: "golden", is_public: true, status: "available" });
    world.cluster.create(kind, "golden", { source: { diskRef: { id: "7" } } });
    await world.advance(5 * minute);
    expect(stateOf(world, kind, "golden"), messageOf(world, kind, "golden")).toBe("Ready");
    world.cloud.remove("/images", idOf(world, kind, "golden"));
    await world.advance(30 * minute);
    expect(stateOf(world, kind, "golden")).toBe("Missing");
    expect(changes(world)).toEqual(["POST /images"]);
  });
});

describe("an image that is handed off", () => {
  it("waits with a URL in a Secret, is ready when its data came, and the Secret goes then", async () => {
    const world = await handedOff();
    expect(stateOf(world, kind, "golden")).toBe("WaitingForUpload");
    expect(messageOf(world, kind, "golden")).toContain(`Secret ${secretName}`);
    expect(dataOf(world, secretName)).toEqual({
      method: "PUT",
      contentType: "application/octet-stream",
      url: expect.stringContaining(signature),
    });
    // What the API server takes as a label.
    for (const label of Object.values(world.cluster.get("Secret", secretName)?.metadata.labels ?? {}))
      expect(label).toMatch(/^[A-Za-z0-9][\w.-]{0,61}[A-Za-z0-9]$/);
    world.restart();
    await world.advance(30 * minute);
    expect(changes(world)).toEqual(["POST /images/upload"]);
    upload(world);
    await world.advance(5 * minute);
    expect(stateOf(world, kind, "golden"), messageOf(world, kind, "golden")).toBe("Ready");
    expect(world.cluster.get("Secret", secretName)).toBeUndefined();
    await world.advance(30 * minute);
    expect(changes(world)).toEqual(["POST /images/upload"]);
  });

  it("whose Secret somebody deletes is left as it is: its data may be on its way", async () => {
    const world = await handedOff();
    world.cluster.delete("Secret", secretName);
    await world.advance(30 * minute);
    expect(changes(world)).toEqual(["POST /images/upload"]);
    upload(world);
    await world.advance(5 * minute);
    expect(world.cluster.get(kind, "golden")).toBeReady();
  });

  it("has its Secret in the form that the spec asks for meanwhile, and no other one", async () => {
    const world = await handedOff();
    const before = dataOf(world, secretName);
    const connectionSecret = { name: "upload-job", keys: { url: "UPLOAD_URL" } };
    world.cluster.patch(kind, "golden", { spec: { connectionSecret } });
    await world.advance(minute);
    expect(dataOf(world, "upload-job")).toEqual({
      method: "PUT",
      contentType: "application/octet-stream",
      UPLOAD_URL: before?.["url"],
    });
    expect(world.cluster.get("Secret", secretName)).toBeUndefined();
    const written = world.cluster.writes().length;
    world.restart();
    await world.advance(30 * minute);
    expect(changes(world)).toEqual(["POST /images/upload"]);
    expect(world.cluster.writes()).toHaveLength(written);
  });

  it("whose Secret is gone says how to get another URL, and that works", async () => {
    const world = await handedOff();
    world.cluster.delete("Secret", secretName);
    await world.advance(30 * minute);
    expect(messageOf(world, kind, "golden")).toContain("delete this object and create it again");
    world.cluster.delete(kind, "golden");
    await world.advance(5 * minute);
    world.cluster.create(kind, "golden", spec);
    await world.advance(5 * minute);
    expect(dataOf(world, secretName)?.["url"]).toContain(signature);
    expect(living(world)).toEqual([idOf(world, kind, "golden")]);
  });

  it("whose data never came is reported when the cloud has deleted it, and made again by leave", async () => {
    const world = await handedOff();
    world.cloud.remove("/images", idOf(world, kind, "golden"));
    await world.advance(30 * minute);
    expect(stateOf(world, kind, "golden")).toBe("Missing");
    const before = dataOf(world, secretName);
    world.cluster.patch(kind, "golden", { spec: { management: { missingPolicy: "Recreate" } } });
    await world.advance(30 * minute);
    expect(stateOf(world, kind, "golden")).toBe("WaitingForUpload");
    expect(dataOf(world, secretName)).not.toEqual(before);
    expect(changes(world)).toEqual(["POST /images/upload", "POST /images/upload"]);
  });

  it("does not begin where its Secret is somebody else's", async () => {
    const world = createWorld();
    world.cluster.secret(secretName, { password: "hunter2" });
    world.cluster.create(kind, "golden", spec);
    await world.advance(5 * minute);
    expect(stateOf(world, kind, "golden")).toBe("Conflict");
    expect(changes(world)).toEqual([]);
    expect(dataOf(world, secretName)).toEqual({ password: "hunter2" });
  });

  it("of which the answer was lost is left to people: nobody has its URL, and nothing proves whose it is", async () => {
    const world = createWorld();
    await world.settle();
    world.cloud.fault({ kind: "lostAfter", method: "POST" });
    world.cluster.create(kind, "golden", spec);
    await world.advance(30 * minute);
    expect(stateOf(world, kind, "golden")).toBe("CreateUncertain");
    expect(messageOf(world, kind, "golden")).toContain("private/16001");
    expect(changes(world).map((call) => call.split(" ")[0])).toEqual(["POST"]);
    world.cloud.remove("/images", "private/16001");
    obey(world, kind, "golden");
    await world.advance(30 * minute);
    expect(stateOf(world, kind, "golden"), messageOf(world, kind, "golden")).toBe("WaitingForUpload");
    expect(changes(world).map((call) => call.split(" ")[0])).toEqual(["POST", "POST"]);
    expect(living(world)).toEqual([idOf(world, kind, "golden")]);
  });

  it("of which nothing is known after a request without an answer is not begun again without leave", async () => {
    const world = createWorld();
    await world.settle();
    world.cloud.fault({ kind: "lostBefore", method: "POST" });
    world.cluster.create(kind, "golden", spec);
    await world.advance(60 * minute);
    expect(stateOf(world, kind, "golden")).toBe("CreateUncertain");
    expect(living(world)).toEqual([]);
    obey(world, kind, "golden");
    await world.advance(5 * minute);
    expect(stateOf(world, kind, "golden")).toBe("WaitingForUpload");
    expect(living(world)).toHaveLength(1);
  });

  it.each(Array.from({ length: 14 }, (_, steps) => steps))(
    "is one, with its URL in the Secret, where the operator ends %d steps into its creation",
    async (steps) => {
      const world = createWorld();
      await world.settle();
      world.crashAfter(steps);
      world.cluster.create(kind, "golden", spec);
      await world.advance(minute);
      world.restart();
      await world.advance(60 * minute);
      if (stateOf(world, kind, "golden") === "CreateUncertain") {
        obey(world, kind, "golden");
        await world.advance(30 * minute);
      }
      expect(stateOf(world, kind, "golden"), messageOf(world, kind, "golden")).toBe("WaitingForUpload");
      expect(living(world)).toEqual([idOf(world, kind, "golden")]);
      expect(dataOf(world, secretName)?.["url"]).toContain(signature);
    },
  );

  it("goes with its object, its URL is never in status, events or log", async () => {
    const world = await handedOff();
    const said = JSON.stringify([world.cluster.get(kind, "golden"), world.cluster.events(), world.lines()]);
    expect(said).not.toContain(signature);
    world.cluster.delete(kind, "golden");
    await world.advance(5 * minute);
    expect(world.cluster.get(kind, "golden")).toBeUndefined();
    expect(living(world)).toEqual([]);
  });
});

describe("an image that is downloaded", () => {
  const url = "https://images.test/base.img.gz?signature=s3cret";

  async function downloaded(): Promise<World> {
    const world = createWorld();
    world.cluster.create(kind, "golden", { source: { download: { region: "us-east", url } } });
    await world.advance(minute);
    return world;
  }

  const reads = (world: World): number => world.cloud.ledger().filter(({ path }) => path === "/base.img.gz").length;

  it("whose source refuses it is asked for at growing intervals, for one image, and says so", async () => {
    const world = await downloaded();
    expect(stateOf(world, kind, "golden")).toBe("WaitingForUpload");
    expect(messageOf(world, kind, "golden")).toContain(
      "got status 401. It is asked for again at growing intervals. Correct what is at the URL, or create this object again with another one",
    );
    const soon = reads(world);
    expect(soon).toBeGreaterThan(2);
    await world.advance(120 * minute);
    expect(reads(world) - soon).toBeLessThan(15);
    expect(changes(world)).toEqual(["POST /images/upload"]);
    const said = JSON.stringify([world.cluster.get(kind, "golden")?.status, world.cluster.events(), world.lines()]);
    expect(said).not.toContain("s3cret");
  });

  it("whose Secret somebody deletes says how to get another URL, and reads no more", async () => {
    const world = await downloaded();
    world.cluster.delete("Secret", secretName);
    await world.advance(5 * minute);
    const since = reads(world);
    await world.advance(60 * minute);
    expect(messageOf(world, kind, "golden")).toContain("Delete this object and create it again");
    expect(reads(world)).toBe(since);
  });

  it("does not wait for those of another CloudAccount, whose sources answer nothing", async () => {
    const world = createWorld();
    world.cluster.create("CloudAccount", "second", { tokenSecretRef: { name: "cloud-token" } });
    await world.settle();
    world.cloud.fault({ kind: "silent", path: /silent/, times: Infinity });
    const silent = { download: { region: "us-east", url: "https://images.test/silent.img.gz" } };
    const names = ["one", "two", "three", "four", "five"];
    for (const name of names) world.cluster.create(kind, name, { source: silent });
    await world.advance(5 * minute);
    const messages = names.map((name) => messageOf(world, kind, name) ?? "");
    expect(messages.filter((message) => message.includes("other uploads of this account are under way"))).toHaveLength(
      1,
    );
    const source = { download: { region: "us-east", url } };
    world.cluster.create(kind, "golden", { source, accountRef: { name: "second" } });
    await world.advance(minute);
    expect(reads(world)).toBeGreaterThan(0);
  });

  it.each(["deleted", "paused"])(
    "makes room for others soon after it is %s, though its source is silent",
    async (how) => {
      const world = createWorld();
      world.cloud.fault({ kind: "silent", path: /silent/, times: Infinity });
      const silent = { download: { region: "us-east", url: "https://images.test/silent.img.gz" } };
      const names = ["one", "two", "three", "four"];
      for (const name of names) world.cluster.create(kind, name, { source: silent });
      await world.advance(minute);
      world.cluster.create(kind, "golden", { source: { download: { region: "us-east", url } } });
      await world.advance(minute);
      expect(reads(world)).toBe(0);
      if (how === "deleted") world.cluster.delete(kind, "one");
      else world.cluster.patch(kind, "one", { spec: { management: { policy: "Paused" } } });
      await world.advance(5_000);
      const given = world.cloud.ledger().filter(({ path, givenUpAtMs }) => path.includes("silent") && givenUpAtMs);
      expect(given).toHaveLength(1);
      await world.advance(20_000);
      expect(reads(world)).toBeGreaterThan(0);
      expect(messageOf(world, kind, "two")).toContain("is being sent");
      expect(JSON.stringify(world.cluster.events())).not.toContain(
        "the data of https://images.test/silent.img.gz was not sent",
      );
    },
  );

  it("is not asked for where the operator does not read from, and no image is made for it", async () => {
    const world = createWorld();
    const source = { download: { region: "us-east", url: "https://elsewhere.test/base.img.gz" } };
    world.cluster.create(kind, "golden", { source });
    await world.advance(30 * minute);
    expect(stateOf(world, kind, "golden")).toBe("NotPermitted");
    expect(changes(world)).toEqual([]);
    expect(reads(world)).toBe(0);
  });
});
