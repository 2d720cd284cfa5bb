/** Fields of custom resources never make the operator send tokens, the installation key or credentials of Kubernetes. */
import { describe, expect, it } from "vitest";
import { secrets } from "../../../src/cluster/secrets.ts";
import { createWorld, token } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changesIn, messageOf, specs, stateOf } from "../support.ts";

const minute = 60_000;
const url = { bucketRef: { name: "media" }, objectKey: "leak.txt", acl: "public-read" };

interface Field {
  kind: string;
  field: string;
  spec: object;
}

/** Fields of kinds that send a value of a Secret to the cloud. */
function fieldsNaming(secret: { name: string; key: string }): Field[] {
  const instance = specs.ComputeInstance;
  return [
    { kind: "BucketObject", field: "spec.contentSecretRef", spec: { ...url, contentSecretRef: secret } },
    {
      kind: "ComputeInstance",
      field: "spec.rootPasswordSecretRef",
      spec: { ...instance, rootPasswordSecretRef: secret },
    },
    { kind: "ComputeInstance", field: "spec.userDataSecretRef", spec: { ...instance, userDataSecretRef: secret } },
    {
      kind: "ComputeInstance",
      field: "spec.stackScript.dataSecretRef",
      spec: { ...instance, stackScript: { id: 2, dataSecretRef: secret } },
    },
    {
      kind: "PhoneVerification",
      field: "spec.codeSecretRef",
      spec: { phoneNumber: "+436601234567", isoCode: "AT", codeSecretRef: secret },
    },
    {
      kind: "SecurityQuestions",
      field: "spec.questions[0].answerSecretRef",
      spec: { questions: [1, 2, 3].map((questionID) => ({ questionID, answerSecretRef: secret })) },
    },
    {
      kind: "BucketCertificate",
      field: "spec.secretRef",
      spec: { bucketRef: url.bucketRef, secretRef: { name: secret.name } },
    },
  ];
}

async function withBucket(): Promise<World> {
  const world = createWorld();
  world.cluster.create("Bucket", "media", specs.Bucket);
  await world.advance(minute);
  expect(world.cluster.get("Bucket", "media")).toBeReady();
  return world;
}

/** Bodies that the cloud received, and contents of buckets, as one text. */
function sent({ cloud }: World): string {
  return JSON.stringify([
    changesIn(cloud.ledger()).map(({ path, body }) => [path, body]),
    cloud.rows("/object-storage/buckets"),
  ]);
}

const tokenBytes = Buffer.from(token).toString("base64");

describe.each(fieldsNaming({ name: "cloud-token", key: "token" }))("$kind $field", ({ kind, field, spec }) => {
  it("refuses the Secret with the account's token as InvalidSpec, and sends nothing", async () => {
    const world = await withBucket();
    const before = changesIn(world.cloud.ledger()).length;
    world.cluster.create(kind, "leak", spec);
    await world.advance(30 * minute);
    expect(stateOf(world, kind, "leak")).toBe("InvalidSpec");
    expect(messageOf(world, kind, "leak")).toContain(
      `${field}: Secret cloud-token holds the token of CloudAccount default`,
    );
    expect(changesIn(world.cloud.ledger())).toHaveLength(before);
  });
});

const leak = { ...url, contentSecretRef: { name: "cloud-token", key: "token" } };

it("a Secret stays refused after the account uses another Secret, also after a restart", async () => {
  const world = await withBucket();
  world.cloud.addToken("rotated", "ada");
  world.cluster.secret("second-token", { token: "rotated" });
  world.cluster.patch("CloudAccount", "default", { spec: { tokenSecretRef: { name: "second-token" } } });
  await world.advance(minute);
  world.restart();
  world.cluster.create("BucketObject", "leak", leak);
  await world.advance(30 * minute);
  expect(stateOf(world, "BucketObject", "leak")).toBe("InvalidSpec");
  expect(messageOf(world, "BucketObject", "leak")).toContain("cloudplatform.dev/credential");
  expect(sent(world)).not.toContain(tokenBytes);
});

it("a Secret that never reached the cloud as a token is refused while an account names it", async () => {
  const world = await withBucket();
  world.cluster.secret("broken", { token: "two words", content: "x" });
  world.cluster.create("CloudAccount", "broken", { tokenSecretRef: { name: "broken" } });
  await world.advance(minute);
  expect(stateOf(world, "CloudAccount", "broken")).toBe("TokenMalformed");
  world.cluster.create("BucketObject", "leak", { ...url, contentSecretRef: { name: "broken" } });
  await world.advance(minute);
  expect(stateOf(world, "BucketObject", "leak")).toBe("InvalidSpec");
});

it("a Secret serves other fields once the user removes the mark of the former token", async () => {
  const world = await withBucket();
  world.cloud.addToken("rotated", "ada");
  world.cluster.secret("second-token", { token: "rotated" });
  world.cluster.patch("CloudAccount", "default", { spec: { tokenSecretRef: { name: "second-token" } } });
  world.cluster.create("BucketObject", "notes", leak);
  await world.advance(minute);
  expect(stateOf(world, "BucketObject", "notes")).toBe("InvalidSpec");
  world.cluster.annotate("Secret", "cloud-token", { "cloudplatform.dev/credential": null });
  await world.advance(minute);
  expect(world.cluster.get("BucketObject", "notes")).toBeReady();
});

it("an account with the same Secret as its token keeps a written object deletable", async () => {
  const world = await withBucket();
  world.cluster.secret("later-token", { token });
  world.cluster.create("BucketObject", "notes", { ...url, contentSecretRef: { name: "later-token", key: "token" } });
  await world.advance(minute);
  expect(world.cluster.get("BucketObject", "notes")).toBeReady();
  world.cluster.create("CloudAccount", "second", { tokenSecretRef: { name: "later-token" } });
  await world.advance(minute);
  world.cluster.delete("BucketObject", "notes");
  await world.advance(minute);
  expect(world.cluster.get("BucketObject", "notes")).toBeUndefined();
});

it.each([
  ["the installation key", { name: "installation-key", key: "key" }, {}],
  ["a token of a service account", { name: "robot", key: "token" }, { type: "kubernetes.io/service-account-token" }],
  ["a bootstrap token", { name: "robot", key: "token" }, { type: "bootstrap.kubernetes.io/token" }],
  ["a release of Helm", { name: "robot", key: "token" }, { type: "helm.sh/release.v1" }],
])("%s is refused as content and as the token of an account", async (_, secretRef, fields) => {
  const world = await withBucket();
  const { name, key } = secretRef;
  const stringData = { [key]: "0123456789abcdef0123456789abcdef" };
  world.cluster.objects.create(secrets, { metadata: { namespace: "default", name }, stringData, ...fields });
  world.cluster.create("BucketObject", "leak", { ...url, contentSecretRef: secretRef });
  world.cluster.create("CloudAccount", "leak", { tokenSecretRef: secretRef });
  await world.advance(30 * minute);
  expect(stateOf(world, "BucketObject", "leak")).toBe("InvalidSpec");
  expect(messageOf(world, "BucketObject", "leak")).toContain(`spec.contentSecretRef: Secret ${name}`);
  expect(stateOf(world, "CloudAccount", "leak")).toBe("InvalidSpec");
  expect(messageOf(world, "CloudAccount", "leak")).toContain(`spec.tokenSecretRef: Secret ${name}`);
  expect(world.cloud.ledger().filter((request) => request.token === stringData[key])).toEqual([]);
});

it.each(["watch", "get"])(
  "a published Secret does not replace the account's token (secretAccess %s)",
  async (access) => {
    const world = createWorld(access === "get" ? { secretsEveryMs: minute } : {});
    const before = world.cluster.get("Secret", "cloud-token");
    world.cluster.create("ManagedMySQL", "shop", { ...specs.ManagedMySQL, connectionSecret: { name: "cloud-token" } });
    await world.advance(10 * minute);
    expect(stateOf(world, "ManagedMySQL", "shop")).toBe("InvalidSpec");
    expect(messageOf(world, "ManagedMySQL", "shop")).toContain(
      "Secret cloud-token holds the token of CloudAccount default",
    );
    expect((world.cluster.get("Secret", "cloud-token") as { data?: object }).data).toEqual(
      (before as { data?: object }).data,
    );
    world.cluster.delete("ManagedMySQL", "shop");
    await world.advance(minute);
    expect(world.cluster.get("ManagedMySQL", "shop")).toBeUndefined();
  },
);
