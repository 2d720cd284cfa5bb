import { afterAll, beforeAll, expect, test } from "vitest";
import { untilTrue } from "../campaigns/support/fleet.ts";
import type { KubeObject } from "../../src/cluster/types.ts";
import { startInstallation, system } from "./support/installation.ts";
import type { Installation } from "./support/installation.ts";
import { smallInstance } from "./support/orders.ts";
import type { Stage, Tenant } from "./support/stage.ts";
import { verdictOf } from "./support/verdict.ts";

/** Fields that read Secrets and ConfigMaps. */
let installation: Installation;
beforeAll(async () => {
  installation = await startInstallation();
});
afterAll(() => installation.stop());

interface Page {
  bucket: object;
  object: object;
  /** Reads the published object without credentials. Returns undefined if the bucket has no such object. */
  read: () => Promise<string | undefined>;
}

/** A bucket of this tenant, and a public file with the content of a Secret. */
function pageIn({ cloud }: Stage, tenant: Pick<Tenant, "object">, contentSecretRef: object, more: object = {}): Page {
  const label = `pages-${cloud.account}`;
  return {
    bucket: tenant.object("Bucket", label, { cluster: "us-east-1" }),
    object: tenant.object("BucketObject", `page-${cloud.account}`, {
      bucketRef: { name: label },
      objectKey: "x.txt",
      contentSecretRef,
      acl: "public-read",
      ...more,
    }),
    async read() {
      const response = await fetch(`${installation.simulator.url}/objects/us-east-1/${label}/x.txt`);
      return response.ok ? response.text() : undefined;
    },
  };
}

const token = { name: "cloud-token", key: "token" };

test.concurrent("an editor cannot publish the account's token through a BucketObject", async () => {
  const stage = await installation.stage();
  const { shop } = stage;
  const page = pageIn(stage, shop, token);
  await shop.editor.apply(page.bucket);
  await expect(shop.editor.apply(page.object)).rejects.toThrow(/cloud-token/);
  expect(await page.read()).toBeUndefined();
});

const readers = [
  {
    what: "a Secret with user data",
    kind: "ComputeInstance",
    spec: { ...smallInstance, userDataSecretRef: { name: "cloud-token", key: "token" } },
    named: "cloud-token",
  },
  {
    what: "a ConfigMap",
    kind: "BucketObject",
    spec: {
      bucketRef: { name: "any" },
      objectKey: "ca.crt",
      contentConfigMapRef: { name: "kube-root-ca.crt", key: "ca.crt" },
    },
    named: "kube-root-ca.crt",
  },
];

test.concurrent.each(readers)(
  "admission refuses a $kind that names $what, if the author may not read it",
  async ({ kind, spec, named }) => {
    const { shop } = await installation.stage();
    await expect(shop.editor.apply(shop.object(kind, "reader", spec))).rejects.toThrow(named);
  },
);

test.concurrent("an editor who may read the Secret may name it", async () => {
  const stage = await installation.stage();
  const { shop, admin, secret } = stage;
  await admin.apply(secret(shop, "page", { text: "hello" }));
  const rbac = "rbac.authorization.k8s.io";
  const metadata = { name: "page", namespace: shop.namespace };
  const resource = (kind: string) => ({
    group: rbac,
    version: "v1",
    plural: `${kind.toLowerCase()}s`,
    kind,
    namespaced: true,
  });
  await admin.kube.create(resource("Role"), {
    apiVersion: `${rbac}/v1`,
    kind: "Role",
    metadata,
    rules: [{ apiGroups: [""], resources: ["secrets"], resourceNames: ["page"], verbs: ["get"] }],
  });
  await admin.kube.create(resource("RoleBinding"), {
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata,
    roleRef: { apiGroup: rbac, kind: "Role", name: "page" },
    subjects: [{ kind: "ServiceAccount", name: "editor", namespace: shop.namespace }],
  });
  const page = pageIn(stage, shop, { name: "page", key: "text" });
  const accepted = () =>
    shop.editor.apply(page.bucket, page.object).then(
      () => true,
      () => false,
    );
  // The API server learns of the role from a watch of its own.
  await untilTrue("admission accepts the reference", accepted, 20_000);
  expect(await verdictOf(shop, page.object)).toMatchObject({ type: "Ready" });
  expect(await page.read()).toBe("hello");
});

test.concurrent("an editor may change an object whose Secret an administrator chose, but not the reference", async () => {
  const stage = await installation.stage();
  const { shop, admin, secret } = stage;
  const page = pageIn(stage, shop, { name: "page", key: "text" });
  await admin.apply(secret(shop, "page", { text: "hello", draft: "later" }), page.bucket, page.object);
  await shop.editor.patch(page.object, { spec: { management: { driftPolicy: "Report" } } });
  for (const contentSecretRef of [token, { name: "page", key: "draft" }])
    await expect(shop.editor.patch(page.object, { spec: { contentSecretRef } })).rejects.toThrow(/Secret/i);
  expect(await verdictOf(shop, page.object)).toMatchObject({ type: "Ready" });
  expect(await page.read()).toBe("hello");
});

test.concurrent("the operator does not publish the token of an account, even if the author may read Secrets", async () => {
  const stage = await installation.stage();
  const { shop, admin } = stage;
  const page = pageIn(stage, shop, token);
  await admin.apply(page.bucket, page.object);
  const verdict = await verdictOf(shop, page.object);
  expect(await page.read()).toBeUndefined();
  expect(verdict).toMatchObject({ type: "Stalled" });
  expect(verdict.message).toContain("cloud-token");
});

test.concurrent("the operator does not publish its installation key, even if the author may read Secrets", async () => {
  const stage = await installation.stage();
  const { shop, teamB, admin, account } = stage;
  await admin.patch(account, { spec: { sharing: { namespaces: [teamB.namespace, system] } } });
  const key = { name: "cloud-platform-operator-installation-key", key: "key" };
  const inSystem: Tenant = {
    ...shop,
    namespace: system,
    object: (kind, name, spec) => teamB.object(kind, name, spec, { namespace: system }),
    until: installation.waits(system).until,
  };
  const page = pageIn(stage, inSystem, key);
  await admin.apply(page.bucket, page.object);
  const verdict = await verdictOf(inSystem, page.object);
  expect(await page.read()).toBeUndefined();
  expect(verdict).toMatchObject({ type: "Stalled" });
  expect(verdict.message).toContain("installation-key");
});

test.concurrent("a Secret with the name .. is refused by admission or is InvalidSpec", async () => {
  const stage = await installation.stage();
  const { shop, admin } = stage;
  const page = pageIn(stage, shop, { name: "..", key: "text" });
  await admin.apply(page.bucket);
  const refused = await admin.apply(page.object).then(() => undefined, String);
  if (refused !== undefined) return expect(refused).toContain("contentSecretRef");
  expect(await verdictOf(shop, page.object)).toMatchObject({ type: "Stalled", reason: "InvalidSpec" });
});

interface Planned {
  plan?: { hash: string };
}

test.concurrent("the approval of a plan does not cover a Secret that was replaced after the review", async () => {
  const stage = await installation.stage();
  const { shop, admin, secret } = stage;
  const more = { management: { policy: "Plan" }, acl: undefined };
  const page = pageIn(stage, shop, { name: "page", key: "text" }, more);
  await admin.apply(secret(shop, "page", { text: "reviewed" }), page.bucket);
  const bucket = (page.bucket as KubeObject).metadata.name;
  await shop.ready("Bucket", bucket);
  const written = () =>
    installation.simulator.control.ledger({ method: "PUT", path: `/objects/us-east-1/${bucket}/x.txt` });
  await admin.apply(page.object);
  const { name } = (page.object as KubeObject).metadata;
  const planIn = ({ status }: KubeObject): string | undefined => (status as Planned | undefined)?.plan?.hash;
  const reviewed = planIn(await shop.until("BucketObject", name, (found) => planIn(found) !== undefined));
  await admin.apply(secret(shop, "page", { text: "replaced" }));
  const approve = (hash: string | undefined) =>
    admin.patch(page.object, { metadata: { annotations: { "cloudplatform.dev/approve": hash } } });
  await approve(reviewed);
  const isNext = (hash: string | undefined): boolean => hash !== undefined && hash !== reviewed;
  const next = await shop.until("BucketObject", name, (found) => isNext(planIn(found)) || written().length > 0);
  expect(written()).toEqual([]);
  await approve(planIn(next));
  await shop.ready("BucketObject", name);
  expect(written()).toMatchObject([{ status: 200 }]);
  const path = `/object-storage/buckets/us-east-1/${bucket}/object-url`;
  const { url } = await stage.cloud.byHand("POST", path, { method: "GET", name: "x.txt" });
  expect(await (await fetch(String(url))).text()).toBe("replaced");
});
