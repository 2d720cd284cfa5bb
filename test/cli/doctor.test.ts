import { describe, expect, it } from "vitest";
import { checkDefinitions } from "../../src/cli/doctor/definitions.ts";
import { checkLeader } from "../../src/cli/doctor/leader.ts";
import { checkOperator, checkUser } from "../../src/cli/doctor/permissions.ts";
import { namedKinds } from "../../src/cli/objects.ts";
import { KubeError } from "../../src/cluster/errors.ts";
import { namespacesAnnotation } from "../../src/cluster/lease.ts";
import type { KubeClient, KubeObject } from "../../src/cluster/types.ts";
import { crdName, customResourceDefinition, resourceOf } from "../../src/generate/crd.ts";
import { createWorldClock } from "../world/clock.ts";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { accountFlags, runCli } from "./run.ts";

const clock = createWorldClock();
const forbidden = () => Promise.reject(new KubeError("forbidden", { status: 403 }));

function client(calls: Partial<KubeClient>): KubeClient {
  return calls as KubeClient;
}

function lease(name: string, watched: string, spec: object): KubeObject {
  const annotations = { [namespacesAnnotation]: watched };
  const metadata = { name, namespace: "system", uid: name, resourceVersion: "1", creationTimestamp: "", annotations };
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec: { ...spec } };
}

const now = clock.date().toISOString();
const long = "2020-01-01T00:00:00Z";

describe("doctor finds the leader", () => {
  async function found(leases: KubeObject[], later: KubeObject[] = leases) {
    const kube = client({
      list: () => Promise.resolve(leases),
      get: (_, { name }) => Promise.resolve(later.find(({ metadata }) => metadata.name === name)),
    });
    const answer = checkLeader(kube, clock, "shop");
    await clock.advance(10_000);
    const [finding] = (await answer).findings;
    return `${finding?.state}: ${finding?.text}`;
  }

  it.each([
    [
      "ok: pod-1 holds the lease system/a",
      [lease("a", "", { holderIdentity: "pod-1_x", renewTime: now })],
      "it renewed the lease",
    ],
    ["unknown: no operator has a lease", [], "an operator can run without leader election"],
    ["wrong: no operator holds the lease", [lease("a", "", {})], "the lease was released"],
    [
      "wrong: no operator watches namespace shop. The operators watch: a,b",
      [lease("a", "a,b", { holderIdentity: "pod-1_x", renewTime: now })],
      "it watches other namespaces",
    ],
    [
      "wrong: the operator pod-1_x does not renew the lease system/a",
      [lease("a", "", { holderIdentity: "pod-1_x", renewTime: long })],
      "it has ended",
    ],
    [
      "ok: pod-2 holds the lease system/b",
      [
        lease("a", "", { holderIdentity: "pod-1_x", renewTime: long }),
        lease("b", "shop", { holderIdentity: "pod-2_x", renewTime: now }),
      ],
      "an uninstalled operator left its lease",
    ],
  ])("%s", async (expected, leases, _reason) => {
    expect(await found(leases)).toContain(expected);
  });

  it("although the clocks differ", async () => {
    const before = lease("a", "", { holderIdentity: "pod-1_x", renewTime: long });
    const later = lease("a", "", { holderIdentity: "pod-1_x", renewTime: "2020-01-01T00:00:08Z" });
    expect(await found([before], [later])).toContain("ok: pod-1 holds the lease");
  });
});

describe("doctor checks definitions", () => {
  const served = namedKinds.map((kind) => customResourceDefinition(resourceOf(kind)));

  async function found(change: (spec: Record<string, unknown>, name: string) => unknown) {
    const get: KubeClient["get"] = (_, { name }) => {
      const definition = served.find(({ metadata }) => metadata.name === name)!;
      const spec = change(structuredClone(definition.spec) as never, name);
      return Promise.resolve(spec === undefined ? undefined : ({ ...definition, spec } as never));
    };
    const [finding] = await checkDefinitions(client({ get }));
    return `${finding?.state}: ${finding?.text}`;
  }

  it("that are complete", async () => {
    expect(await found((spec) => spec)).toBe(`ok: ${namedKinds.length} definitions have all fields of this version`);
  });

  it("of which one is not installed", async () => {
    const [first] = namedKinds;
    expect(await found((spec, name) => (name === crdName(first!) ? undefined : spec))).toBe(
      `wrong: ${crdName(first!)} is not installed`,
    );
  });

  it("of an older version, deep in the schema", async () => {
    const text = await found((spec, name) => {
      if (name !== "firewalls.cloudplatform.dev") return spec;
      return JSON.parse(JSON.stringify(spec).replace('"protect":', '"former":')) as unknown;
    });
    expect(text).toBe("wrong: firewalls.cloudplatform.dev has no field spec.management.protect");
  });

  it("not without permission", async () => {
    expect(await checkDefinitions(client({ get: forbidden }))).toMatchObject([{ state: "unknown" }]);
  });
});

describe("doctor checks permissions", () => {
  const holder = lease("a", "", { holderIdentity: "pod-1_x" });
  const pod = { ...holder, kind: "Pod", spec: { serviceAccountName: "operator" } };
  const answering = (allowed: (spec: Asked) => boolean) =>
    client({
      get: () => Promise.resolve(pod),
      create: (_, { spec }) => Promise.resolve({ ...pod, status: { allowed: allowed(spec as Asked) } }),
    });
  interface Asked {
    user?: string;
    resourceAttributes: { resource: string; verb: string };
  }

  it("of the service account of the pod with the lease", async () => {
    const users = new Set<string | undefined>();
    const kube = answering(({ user }) => Boolean(users.add(user)));
    expect(await checkOperator(kube, "shop", holder)).toMatchObject([{ state: "ok" }]);
    expect([...users]).toEqual(["system:serviceaccount:system:operator"]);
  });

  it("and names a missing permission with the cure", async () => {
    const kube = answering(({ resourceAttributes: { resource, verb } }) => resource !== "secrets" || verb !== "delete");
    const [finding] = await checkOperator(kube, "shop", holder);
    expect(finding).toMatchObject({
      state: "wrong",
      text: expect.stringContaining("may not delete secrets in namespace shop"),
    });
    expect(finding?.cure).toContain("helm upgrade");
  });

  it("of the user, whose missing permission is no problem of the installation", async () => {
    const kube = answering(({ resourceAttributes: { resource } }) => resource !== "secrets");
    expect(await checkUser(kube, "shop")).toEqual([
      { check: "you", state: "unknown", text: "you may not get secrets in namespace shop" },
    ]);
  });

  it("not without a lease, and not without permission for reviews", async () => {
    expect(
      await checkOperator(
        answering(() => true),
        "shop",
        undefined,
      ),
    ).toMatchObject([{ state: "unknown" }]);
    const kube = client({ get: () => Promise.resolve(pod), create: forbidden });
    expect(await checkOperator(kube, "shop", holder)).toMatchObject([{ state: "unknown" }]);
  });
});

describe("doctor checks a token without a cluster", () => {
  it.each([
    ["is right", {}, [], 0, /^ok +token .*\nok +clock .*\nok +brand word .*\nok +scopes /],
    [
      "is rejected",
      { token: "canary" },
      [],
      1,
      /^wrong +token +the cloud API rejects the token of --token-file\n +Store a valid token/,
    ],
    [
      "belongs to a service with another brand word",
      {},
      ["--brand-word", "wrong"],
      1,
      /wrong +brand word +the cloud API does not serve wrong, but compute\n +Set the brand word compute/,
    ],
    [
      "cannot reach the cloud",
      { url: "http://127.0.0.1:9" },
      [],
      1,
      /^wrong +cloud +the cloud API of --token-file does not answer: .*\n +Check the network/,
    ],
  ])(
    "that %s",
    async (_name, other, more, code, text) => {
      const simulator = await startSimulator({ timeScale: 600 });
      const ran = await runCli(["doctor", ...accountFlags({ ...simulator, ...other }), ...more]);
      await simulator.close();
      expect(ran.out).toMatch(text);
      expect(ran.code).toBe(code);
      expect(ran.out + ran.err).not.toContain("canary");
    },
    60_000,
  );
});
