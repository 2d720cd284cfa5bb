/** A published Secret has the name, keys, type and labels that its readers want; what was shown once survives each change of them. */
import { describe, expect, it } from "vitest";
import { secretOf } from "../../world/collections.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, madeMs, messageOf, specs, stateOf } from "../support.ts";

const soonMs = 60_000;

interface Published {
  data: Record<string, string>;
  type: string | undefined;
  labels: Record<string, string>;
}

function published({ cluster }: World, name: string): Published | undefined {
  const found = cluster.get("Secret", name) as { data?: Record<string, string>; type?: string } | undefined;
  if (!found) return undefined;
  const texts = Object.entries(found.data ?? {}).map(([key, value]) => [key, Buffer.from(value, "base64").toString()]);
  const { labels = {} } = cluster.get("Secret", name)!.metadata;
  return { data: Object.fromEntries(texts) as Record<string, string>, type: found.type, labels };
}

const spring = {
  name: "shop-spring",
  keys: { username: "SPRING_DATASOURCE_USERNAME", password: "SPRING_DATASOURCE_PASSWORD" },
  template: { SPRING_DATASOURCE_URL: "jdbc:mysql://{{ .host }}:{{.port}}/shop?user={{ .username }}" },
  type: "servicebinding.io/mysql",
  labels: { "app.kubernetes.io/part-of": "shop", tier: "backend" },
};

async function withDatabase(connectionSecret: object, spec: object = {}): Promise<World> {
  const world = createWorld();
  world.cluster.create("ManagedMySQL", "shop", { ...specs.ManagedMySQL, ...spec, connectionSecret });
  await world.advance(madeMs);
  return world;
}

async function change(world: World, kind: string, name: string, connectionSecret: object | null): Promise<void> {
  world.cluster.patch(kind, name, { spec: { connectionSecret } });
  await world.advance(soonMs);
}

describe("a connection Secret", () => {
  it("has the name, the keys, the type and the labels that its spec says", async () => {
    const world = await withDatabase(spring);
    expect(stateOf(world, "ManagedMySQL", "shop"), messageOf(world, "ManagedMySQL", "shop")).toBe("Ready");
    const { data, type, labels } = published(world, "shop-spring")!;
    const { SPRING_DATASOURCE_USERNAME: user, host, port } = data;
    expect(Object.keys(data).toSorted()).toEqual([
      "SPRING_DATASOURCE_PASSWORD",
      "SPRING_DATASOURCE_URL",
      "SPRING_DATASOURCE_USERNAME",
      "ca",
      "host",
      "port",
      "uri",
    ]);
    expect(data["SPRING_DATASOURCE_URL"]).toBe(`jdbc:mysql://${host}:${port}/shop?user=${user}`);
    expect(type).toBe("servicebinding.io/mysql");
    expect(labels).toMatchObject(spring.labels);
    expect(published(world, "shop-connection")).toBeUndefined();
    expect(world.cluster.get("ManagedMySQL", "shop")?.status).toMatchObject({ connectionSecretName: "shop-spring" });
  });

  it("is called as connectionSecretName says where connectionSecret names none", async () => {
    const world = await withDatabase({ keys: { host: "DB_HOST" } }, { connectionSecretName: "shop-db" });
    expect(published(world, "shop-db")?.data).toHaveProperty("DB_HOST");
    expect(published(world, "shop-db")?.data).not.toHaveProperty("host");
  });

  it("is rewritten when the spec changes: keys and labels that it does not say any more go, those of others stay", async () => {
    const world = await withDatabase(spring);
    world.cluster.patch("Secret", "shop-spring", { metadata: { labels: { "team.example": "a" } } });
    await change(world, "ManagedMySQL", "shop", {
      keys: { username: null, password: "DB_PASSWORD" },
      template: null,
      labels: { tier: null },
    });
    const { data, labels } = published(world, "shop-spring")!;
    expect(Object.keys(data).toSorted()).toEqual(["DB_PASSWORD", "ca", "host", "port", "uri", "username"]);
    expect(labels).toMatchObject({ "app.kubernetes.io/part-of": "shop", "team.example": "a" });
    expect(labels).not.toHaveProperty("tier");
    const written = world.cluster.writes().length;
    world.restart();
    await world.advance(madeMs);
    expect(world.cluster.writes().length).toBe(written);
  });

  it("of another name is written there, and removed here", async () => {
    const world = await withDatabase(spring);
    await change(world, "ManagedMySQL", "shop", { name: "shop-jdbc" });
    expect(published(world, "shop-jdbc")?.data).toHaveProperty("SPRING_DATASOURCE_URL");
    expect(published(world, "shop-spring")).toBeUndefined();
  });

  it("never takes the place of a stranger's", async () => {
    const world = createWorld();
    world.cluster.secret("shop-spring", { mine: "yes" });
    world.cluster.create("ManagedMySQL", "shop", { ...specs.ManagedMySQL, connectionSecret: spring });
    await world.advance(madeMs);
    expect(stateOf(world, "ManagedMySQL", "shop")).toBe("Conflict");
    expect(changes(world)).toEqual([]);
    expect(published(world, "shop-spring")?.data).toEqual({ mine: "yes" });
  });

  it("whose type is changed says that another name is needed, keeps its data up to date, and moves to that name", async () => {
    const world = await withDatabase(spring);
    await change(world, "ManagedMySQL", "shop", { type: "example.com/jdbc", template: { url: "{{ .uri }}" } });
    expect(stateOf(world, "ManagedMySQL", "shop")).toBe("InvalidSpec");
    expect(messageOf(world, "ManagedMySQL", "shop")).toContain("spec.connectionSecret.type: ");
    expect(published(world, "shop-spring")).toMatchObject({ type: "servicebinding.io/mysql" });
    expect(published(world, "shop-spring")?.data).toHaveProperty("url");
    await change(world, "ManagedMySQL", "shop", { name: "shop-jdbc" });
    expect(world.cluster.get("ManagedMySQL", "shop")).toBeReady();
    expect(published(world, "shop-jdbc")?.type).toBe("example.com/jdbc");
    expect(published(world, "shop-spring")).toBeUndefined();
  });

  it("with a placeholder that the database has no value for says which, and is published without that key", async () => {
    const world = await withDatabase({ template: { REPLICA: "{{ .secondaryHost }}", MAIN: "{{ .host }}" } });
    expect(stateOf(world, "ManagedMySQL", "shop")).toBe("InvalidSpec");
    expect(messageOf(world, "ManagedMySQL", "shop")).toContain("spec.connectionSecret.template.REPLICA: ");
    expect(published(world, "shop-connection")?.data).toHaveProperty("MAIN");
    expect(published(world, "shop-connection")?.data).not.toHaveProperty("REPLICA");
    await change(world, "ManagedMySQL", "shop", { template: { REPLICA: null } });
    expect(world.cluster.get("ManagedMySQL", "shop")).toBeReady();
  });

  it("shows no value of it in status, events, logs", async () => {
    const world = await withDatabase({ template: { BAD: "{{ .secondaryHost }}{{ .password }}" } });
    const { password = "" } = published(world, "shop-connection")!.data;
    expect(password.length).toBeGreaterThan(3);
    const said = [world.cluster.get("ManagedMySQL", "shop"), world.cluster.events(), world.lines()];
    expect(JSON.stringify(said)).not.toContain(password);
  });
});

describe("what is shown once", () => {
  async function withKey(): Promise<World> {
    const world = createWorld();
    world.cluster.create("ObjectStorageKey", "reader", { label: "reader" });
    await world.advance(madeMs);
    return world;
  }

  it.each([false, true])(
    "moves with each change of keys, labels and name, and no other key is made (after a crash: %s)",
    async (crash) => {
      const world = await withKey();
      const before = published(world, "reader-s3-credentials")!.data;
      const made = changes(world);
      for (const next of [
        { keys: { AWS_ACCESS_KEY_ID: "accessKey", AWS_SECRET_ACCESS_KEY: "secretKey" } },
        { keys: { AWS_ACCESS_KEY_ID: "secretKey", AWS_SECRET_ACCESS_KEY: "accessKey" }, labels: { a: "b" } },
        { name: "moved", template: { both: "{{ .AWS_ACCESS_KEY_ID }}/{{ .AWS_SECRET_ACCESS_KEY }}" } },
      ]) {
        if (crash) world.crash();
        world.cluster.patch("ObjectStorageKey", "reader", { spec: { connectionSecret: next } });
        if (crash) world.restart();
        await world.advance(soonMs);
        expect(world.cluster.get("ObjectStorageKey", "reader")).toBeReady();
      }
      expect(changes(world)).toEqual(made);
      const { AWS_ACCESS_KEY_ID: id = "", AWS_SECRET_ACCESS_KEY: secret = "" } = before;
      expect(secret).toBe(secretOf(id));
      expect(published(world, "moved")?.data).toEqual({ accessKey: secret, secretKey: id, both: `${id}/${secret}` });
    },
  );

  it("is noticed to be lost under other keys, too", async () => {
    const world = await withKey();
    await change(world, "ObjectStorageKey", "reader", { keys: { AWS_SECRET_ACCESS_KEY: "secretKey" } });
    const made = changes(world).length;
    world.cluster.patch("Secret", "reader-s3-credentials", {
      data: { secretKey: Buffer.from("x").toString("base64") },
    });
    await world.advance(madeMs);
    expect(
      changes(world)
        .slice(made)
        .map((one) => one.split("/")[0]),
    ).toEqual(["DELETE ", "POST "]);
    expect(published(world, "reader-s3-credentials")?.data["secretKey"]).toContain("s3cret");
  });
});

describe("a template that makes a Secret too large", () => {
  const url = { bucketRef: { name: "media" }, objectKey: "€".repeat(300), method: "GET" };
  const large = Object.fromEntries(Array.from({ length: 32 }, (_, at) => [`k${at}`, "{{.url}}".repeat(32)]));

  async function withURL(template: object): Promise<World> {
    const world = createWorld();
    world.cluster.create("Bucket", "media", specs.Bucket);
    world.cluster.create("PresignedURL", "report", { ...url, connectionSecret: { template } });
    await world.advance(soonMs);
    return world;
  }

  it("reports InvalidSpec with the limit, and the operator publishes the Secret without the template", async () => {
    const world = await withURL(large);
    expect(stateOf(world, "PresignedURL", "report")).toBe("InvalidSpec");
    const message = messageOf(world, "PresignedURL", "report");
    expect(message).toContain("spec.connectionSecret.template: ");
    expect(message).toContain("the limit is 524,288 bytes");
    expect(Object.keys(published(world, "report-presigned-url")!.data).toSorted()).toEqual(["method", "url"]);
  });

  it("causes no further request while the spec stays, and none after a restart", async () => {
    const world = await withURL(large);
    const [sent, written] = [changes(world).length, world.cluster.writes().length];
    await world.advance(5 * soonMs);
    world.restart();
    await world.advance(5 * soonMs);
    expect(changes(world)).toHaveLength(sent);
    expect(world.cluster.writes().length).toBe(written);
  });

  it("is published when its author makes it shorter", async () => {
    const world = await withURL(large);
    world.cluster.patch("PresignedURL", "report", { spec: { connectionSecret: { template: null } } });
    await change(world, "PresignedURL", "report", { template: { curl: "url = {{ .url }}" } });
    expect(world.cluster.get("PresignedURL", "report")).toBeReady();
    expect(published(world, "report-presigned-url")?.data).toHaveProperty("curl");
  });

  it("with more than 32 placeholders in one text is refused before the operator asks the cloud API for a URL", async () => {
    const world = await withURL({ curl: "{{ .url }}".repeat(33) });
    expect(stateOf(world, "PresignedURL", "report")).toBe("InvalidSpec");
    expect(messageOf(world, "PresignedURL", "report")).toContain("spec.connectionSecret.template");
    expect(changes(world).filter((one) => one.includes("object-url"))).toEqual([]);
  });
});

it("a URL that was issued stays the same under other keys", async () => {
  const world = createWorld();
  world.cluster.create("Bucket", "media", specs.Bucket);
  world.cluster.create("PresignedURL", "report", { bucketRef: { name: "media" }, objectKey: "a", method: "GET" });
  await world.advance(soonMs);
  const { url = "" } = published(world, "report-presigned-url")!.data;
  const made = changes(world).length;
  await change(world, "PresignedURL", "report", {
    keys: { url: "REPORT_URL" },
    template: { curl: "url = {{ .url }}" },
  });
  expect(published(world, "report-presigned-url")?.data).toEqual({
    REPORT_URL: url,
    method: "GET",
    curl: `url = ${url}`,
  });
  expect(changes(world)).toHaveLength(made);
  const spoilt = { curl: Buffer.from("x").toString("base64") };
  world.cluster.patch("Secret", "report-presigned-url", { data: { REPORT_URL: spoilt.curl, ...spoilt } });
  await world.advance(soonMs);
  expect(changes(world)).toHaveLength(made + 1);
  expect(published(world, "report-presigned-url")?.data["REPORT_URL"]).toContain("https://");
});

describe("a form that the API server takes no Secret of", () => {
  const nowhere = { type: "kubernetes.io/basic-auth" };

  it("is said before anything is made in the cloud, and what is corrected is made once", async () => {
    const world = createWorld();
    world.cluster.create("ObjectStorageKey", "web", { connectionSecret: nowhere });
    await world.advance(soonMs);
    world.restart();
    await world.advance(10 * soonMs);
    expect(changes(world)).toEqual([]);
    expect(stateOf(world, "ObjectStorageKey", "web")).toBe("InvalidSpec");
    expect(messageOf(world, "ObjectStorageKey", "web")).toContain("spec.connectionSecret: ");
    await change(world, "ObjectStorageKey", "web", { keys: { AWS_ACCESS_KEY_ID: "username" } });
    expect(changes(world)).toEqual(["POST /object-storage/keys"]);
    expect(published(world, "web-s3-credentials")).toMatchObject({ type: nowhere.type });
  });

  it("keeps a rotation back: the key that is in use stays", async () => {
    const world = createWorld();
    world.cluster.create("ObjectStorageKey", "web");
    await world.advance(soonMs);
    world.cluster.patch("Secret", "web-s3-credentials", { immutable: true });
    world.cluster.patch("ObjectStorageKey", "web", { spec: { rotation: 1 } });
    await world.advance(10 * soonMs);
    expect(changes(world)).toEqual(["POST /object-storage/keys"]);
    expect(stateOf(world, "ObjectStorageKey", "web")).toBe("Conflict");
  });
});

it("a rotation beside somebody's key of the same label says what helps, and does it", async () => {
  const world = createWorld();
  world.cluster.create("ObjectStorageKey", "web", { label: "web" });
  await world.advance(soonMs);
  world.cloud.add("/object-storage/keys", { label: "web" });
  world.cluster.patch("ObjectStorageKey", "web", { spec: { rotation: 1 } });
  await world.advance(10 * soonMs);
  expect(messageOf(world, "ObjectStorageKey", "web")).toMatch(/Set another spec.label, or rename the cloud object$/);
  expect(messageOf(world, "ObjectStorageKey", "web")).not.toContain("adopt");
  world.cluster.patch("ObjectStorageKey", "web", { spec: { label: "web-2" } });
  await world.advance(10 * soonMs);
  expect(world.cluster.get("ObjectStorageKey", "web")).toBeReady();
  expect(changes(world).filter((change) => change.startsWith("POST"))).toHaveLength(2);
});

it("a Secret that one object controls is no other's, whoever names that one as an owner, too", async () => {
  const world = createWorld();
  for (const name of ["one", "two"])
    world.cluster.create("ObjectStorageKey", name, { connectionSecret: { name: "same" } });
  await world.advance(10 * soonMs);
  const states = () => ["one", "two"].map((name) => stateOf(world, "ObjectStorageKey", name) ?? "");
  expect(states().toSorted()).toEqual(["Conflict", "Ready"]);
  const loser = states()[0] === "Conflict" ? "one" : "two";
  const { uid } = world.cluster.get("ObjectStorageKey", loser)!.metadata;
  const { ownerReferences = [] } = world.cluster.get("Secret", "same")!.metadata;
  const also = { apiVersion: "cloudplatform.dev/v1alpha1", kind: "ObjectStorageKey", name: loser, uid };
  world.cluster.patch("Secret", "same", { metadata: { ownerReferences: [...ownerReferences, also] } });
  const before = changes(world).length;
  const kept = published(world, "same");
  await world.advance(10 * soonMs);
  expect(states().toSorted()).toEqual(["Conflict", "Ready"]);
  expect(changes(world)).toHaveLength(before);
  expect(published(world, "same")).toEqual(kept);
});
