import { stringify } from "yaml";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { must } from "../../tools/demo/install.ts";
import { startControlPlane } from "../support/control-plane.ts";
import type { OwnControlPlane } from "../support/control-plane.ts";
import { applyAll, restrictedNamespace } from "./installation.ts";
import { manifestsOf, rendered } from "./rendered.ts";
import type { Manifest } from "./rendered.ts";

/** Who may change what the operator notes on an object, as the API server itself decides. */
const endpoints = { default: { url: "https://api.example.org" } };
const team = "team-a";
const elsewhere = "team-b";
const intent = "cloudplatform.dev/intent";

interface Installation {
  what: string;
  reason: string;
  make: (cluster: OwnControlPlane) => Promise<Manifest[]>;
  operator: string;
  /** Whether the policy holds in every namespace. */
  held: boolean;
}

const installations: Installation[] = [
  {
    what: "the chart, for all namespaces",
    reason: "its service account has the name of the release",
    make: async () => (await rendered({ endpoints })).manifests,
    operator: "system:serviceaccount:cloud-system:cpo-cloud-platform-operator",
    held: true,
  },
  {
    what: "the chart, for listed namespaces",
    reason: "elsewhere another release is at work, with an operator of another name",
    make: async () => (await rendered({ endpoints, installationId: "east", watch: { namespaces: [team] } })).manifests,
    operator: "system:serviceaccount:cloud-system:cpo-cloud-platform-operator",
    held: false,
  },
  {
    what: "kustomize",
    reason: "names are fixed",
    make: async ({ kubectl }) => manifestsOf(await must(kubectl, ["kustomize", "deploy/default"])),
    operator: "system:serviceaccount:cloud-platform-system:cloud-platform-operator",
    held: true,
  },
];

describe.each(installations)("the intent, installed by $what: $reason", ({ make, operator, held }) => {
  let cluster: OwnControlPlane;
  beforeAll(async () => {
    cluster = await startControlPlane();
    for (const name of ["cloud-system", team, elsewhere]) await restrictedNamespace(cluster, name);
    const manifests = await make(cluster);
    const others = manifests.filter(({ kind }) => kind !== "Deployment");
    expect(await applyAll(cluster, others)).toBe("");
    for (const namespace of [team, elsewhere]) {
      await must(cluster.kubectl, [
        "create",
        "rolebinding",
        "ada",
        "--clusterrole=edit",
        "--user=ada",
        "-n",
        namespace,
      ]);
    }
    await annotated("probe", { [intent]: "old" });
    const refused = (): Promise<string> => annotate("ada", "probe", `${intent}=new`);
    await vi.waitFor(async () => expect(await refused()).toContain("signed record"), {
      timeout: 30_000,
      interval: 500,
    });
  });
  afterAll(() => cluster.stop());

  /** An object as a restore would make it, by a person who may edit the namespace. */
  async function annotated(name: string, annotations: Record<string, string>, namespace = team): Promise<void> {
    const object = {
      apiVersion: "cloudplatform.dev/v1alpha1",
      kind: "Domain",
      metadata: { name, namespace, annotations },
      spec: { domain: `${name}.example.org`, type: "master", soaEmail: "dns@example.org" },
    };
    const input = stringify(object);
    await vi.waitFor(() => must(cluster.kubectl, ["create", "--as=ada", "-f", "-"], input), { timeout: 20_000 });
  }

  /** What is said against it; empty where it is done. */
  async function annotate(user: string, name: string, change: string, namespace = team): Promise<string> {
    const command = ["annotate", "domain", name, change, "--overwrite", "-n", namespace, `--as=${user}`];
    return (await cluster.kubectl(command)).stderr;
  }

  test.each<{ name: string; before: Record<string, string>; why: string }>([
    { name: "claiming", before: { [intent]: "old" }, why: "it would claim what another object made" },
    { name: "early", before: {}, why: "likewise where the operator has noted nothing yet" },
  ])("is not changed by a person who may edit objects: $why", async ({ name, before }) => {
    await annotated(name, before);
    const said = await annotate("ada", name, `${intent}=new`);
    expect(said).toContain("only the operator changes it");
    for (const cure of ["spec.management.adopt.id", "cloudplatform.dev/retry-create", "cloudplatform.dev/let-go"])
      expect(said).toContain(cure);
  });

  test("is changed by the operator", async () => {
    await annotated("operated", { [intent]: "old" });
    expect(await annotate(operator, "operated", `${intent}=new`)).toBe("");
  });

  test("may be removed, and everything else be changed, by who may edit objects", async () => {
    await annotated("edited", { [intent]: "old", "example.org/note": "a" });
    expect(await annotate("ada", "edited", "example.org/note=b")).toBe("");
    expect(await annotate("ada", "edited", "cloudplatform.dev/let-go=true")).toBe("");
    expect(await annotate("ada", "edited", `${intent}-`)).toBe("");
  });

  test(`in a namespace that is not listed ${held ? "is held too" : "is left to its own operator"}`, async () => {
    await annotated("other", { [intent]: "old" }, elsewhere);
    const said = await annotate("ada", "other", `${intent}=new`, elsewhere);
    expect(said.includes("signed record")).toBe(held);
  });
});
