import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { kinds } from "../../src/kinds/registry.ts";
import { cloudAccount } from "../../src/kinds/account/cloud-account.ts";
import { must } from "../../tools/demo/install.ts";
import { startControlPlane } from "../support/control-plane.ts";
import type { OwnControlPlane } from "../support/control-plane.ts";
import { applyAll, restrictedNamespace } from "./installation.ts";
import { rendered } from "./rendered.ts";

/** What the chart's roles give to people, as the API server itself decides. */
let cluster: OwnControlPlane;
const namespace = "team-a";
const roles = ["view", "edit", "admin", "cloud-platform-operator-admin"];

beforeAll(async () => {
  cluster = await startControlPlane();
  await restrictedNamespace(cluster, "cloud-system");
  await restrictedNamespace(cluster, namespace);
  const { manifests } = await rendered({ endpoints: { default: { url: "https://api.example.org" } } });
  expect(await applyAll(cluster, manifests)).toBe("");
  for (const role of roles) {
    const binding = [`--clusterrole=${role}`, `--user=${role}`, "-n", namespace];
    await must(cluster.kubectl, ["create", "rolebinding", role, ...binding]);
  }
  await vi.waitFor(async () => expect(await rightsOf("view")).toContain("get sshkeys"), { timeout: 20_000 });
});
afterAll(() => cluster.stop());

/** What the API server lets somebody do with our kinds in the namespace, as `verb plural`. */
async function rightsOf(user: string): Promise<Set<string>> {
  const review = { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectRulesReview", spec: { namespace } };
  const text = await must(
    cluster.kubectl,
    ["create", "-f", "-", "-o", "json", "--validate=false", "--as", user],
    JSON.stringify(review),
  );
  const { status } = JSON.parse(text) as { status: { resourceRules: Rule[] } };
  const ours = status.resourceRules.filter(({ apiGroups }) => apiGroups.includes("cloudplatform.dev"));
  return new Set(
    ours.flatMap(({ verbs, resources }) => resources.flatMap((plural) => verbs.map((verb) => `${verb} ${plural}`))),
  );
}

interface Rule {
  apiGroups: string[];
  resources: string[];
  verbs: string[];
}

const all = [...kinds, cloudAccount];
const everyday = all.filter(({ guardsAccess }) => guardsAccess !== true);
const guarding = all.filter(({ guardsAccess }) => guardsAccess === true);
const writes = ["create", "update", "patch", "delete", "deletecollection"];

interface Expectation {
  user: string;
  verbs: string[];
  of: { plural: string }[];
  allowed: boolean;
  reason: string;
}

const expectations: Expectation[] = [
  {
    user: "view",
    verbs: ["get", "list", "watch"],
    of: all,
    allowed: true,
    reason: "who may look at a namespace may look at these",
  },
  { user: "view", verbs: writes, of: all, allowed: false, reason: "looking is not changing" },
  { user: "edit", verbs: writes, of: everyday, allowed: true, reason: "who may change a namespace may change these" },
  { user: "edit", verbs: writes, of: guarding, allowed: false, reason: "an account gives access to what is paid for" },
  { user: "admin", verbs: writes, of: everyday, allowed: true, reason: "admin has what edit has" },
  {
    user: "admin",
    verbs: writes,
    of: guarding,
    allowed: false,
    reason: "not even the admin of a namespace, by aggregation",
  },
  { user: "cloud-platform-operator-admin", verbs: writes, of: all, allowed: true, reason: "bound by hand" },
];

describe("people's roles", () => {
  test.each(expectations)("$user, allowed $allowed: $reason", async ({ user, verbs, of, allowed }) => {
    expect(of.length).toBeGreaterThan(0);
    const rights = await rightsOf(user);
    const asked = of.flatMap(({ plural }) => verbs.map((verb) => `${verb} ${plural}`));
    expect(asked.filter((right) => rights.has(right) !== allowed)).toEqual([]);
  });
});
