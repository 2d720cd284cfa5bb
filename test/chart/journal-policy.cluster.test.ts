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
const entry = "cloudplatform.dev/journal";
const letGo = "cloudplatform.dev/orphan";
const finalizer = "cloudplatform.dev/operator";
const both = ["example.org/other", finalizer];

function manifest(name: string, { annotations = {}, namespace = team, spec = {} } = {}): string {
  return stringify({
    apiVersion: "cloudplatform.dev/v1alpha1",
    kind: "Domain",
    metadata: { name, namespace, annotations },
    spec: { domain: `${name}.example.org`, type: "master", soaEmail: "dns@example.org", ...spec },
  });
}

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

describe.each(installations)("the entry, installed by $what: $reason", ({ make, operator, held }) => {
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
    await annotated("probe", { [entry]: "old" });
    const refused = (): Promise<string> => annotate("ada", "probe", `${entry}=new`);
    await vi.waitFor(async () => expect(await refused()).toContain("signed record"), {
      timeout: 30_000,
      interval: 500,
    });
  });
  afterAll(() => cluster.stop());

  /** An object as a restore would make it, by a person who may edit the namespace. */
  async function annotated(name: string, annotations: Record<string, string>, namespace = team): Promise<void> {
    const input = manifest(name, { annotations, namespace });
    await vi.waitFor(() => must(cluster.kubectl, ["create", "--as=ada", "-f", "-"], input), { timeout: 20_000 });
  }

  /** What is said against it; empty where it is done. */
  async function annotate(user: string, name: string, change: string, namespace = team): Promise<string> {
    const command = ["annotate", "domain", name, change, "--overwrite", "-n", namespace, `--as=${user}`];
    return (await cluster.kubectl(command)).stderr;
  }

  test.each<{ name: string; before: Record<string, string>; why: string }>([
    { name: "claiming", before: { [entry]: "old" }, why: "it would claim what another object made" },
    { name: "early", before: {}, why: "likewise where the operator has noted nothing yet" },
  ])("is not changed by a person who may edit objects: $why", async ({ name, before }) => {
    await annotated(name, before);
    const said = await annotate("ada", name, `${entry}=new`);
    expect(said).toContain("Only the operator may change the annotation");
    for (const cure of ["spec.management.adopt.id", "cloudplatform.dev/retry-create", "cloudplatform.dev/orphan"])
      expect(said).toContain(cure);
  });

  /** What is said against a status; empty where it is stored. */
  async function storeStatus(user: string, name: string, status: object): Promise<string> {
    const change = JSON.stringify({ status });
    // The operator may patch a status, and kubectl reads the status before.
    const as = user === "system:admin" ? [] : [`--as=${user}`, "--as-group=system:masters"];
    const command = ["patch", "domain", name, "--subresource=status", "--type=merge", "-p", change, "-n", team, ...as];
    return (await cluster.kubectl(command)).stderr;
  }

  test("the record is changed by nobody but the operator, and the rest of the status is not held", async () => {
    await annotated("recorded", {});
    expect(await storeStatus("system:admin", "recorded", { record: "forged" })).toContain(
      "only the operator changes it",
    );
    expect(await storeStatus(operator, "recorded", { record: "signed" })).toBe("");
    expect(await storeStatus("system:admin", "recorded", { record: "forged" })).toContain("status.record");
    expect(await storeStatus("system:admin", "recorded", { record: null })).toContain("status.record");
    expect(await storeStatus("system:admin", "recorded", { observedGeneration: 7 })).toBe("");
    expect(await storeStatus(operator, "recorded", { record: "signed again" })).toBe("");
  });

  test("is changed by the operator", async () => {
    await annotated("operated", { [entry]: "old" });
    expect(await annotate(operator, "operated", `${entry}=new`)).toBe("");
  });

  test("may be removed, and everything else be changed, by who may edit objects", async () => {
    await annotated("edited", { [entry]: "old", "example.org/note": "a" });
    expect(await annotate("ada", "edited", "example.org/note=b")).toBe("");
    expect(await annotate("ada", "edited", "cloudplatform.dev/orphan=true")).toBe("");
    expect(await annotate("ada", "edited", `${entry}-`)).toBe("");
  });

  /** An object that the operator has taken in. */
  async function heldObject(name: string, namespace = team): Promise<void> {
    await annotated(name, {}, namespace);
    expect(await patch("system:admin", name, { metadata: { finalizers: both } }, namespace)).toBe("");
  }

  async function patch(user: string, name: string, change: object, namespace = team): Promise<string> {
    const as = user === "system:admin" ? [] : [`--as=${user}`];
    const command = ["patch", "domain", name, "--type=merge", "-p", JSON.stringify(change), "-n", namespace, ...as];
    return (await cluster.kubectl(command)).stderr;
  }

  const finalizersOf = async (name: string): Promise<unknown> => {
    const text = await must(cluster.kubectl, ["get", "domain", name, "-n", team, "-o", "json"]);
    return (JSON.parse(text) as Manifest).metadata["finalizers" as never];
  };

  test("the finalizer is not dropped by kubectl replace, and the refusal names the ways", async () => {
    await heldObject("replaced");
    const { stderr } = await cluster.kubectl(["replace", "--as=ada", "-f", "-"], { input: manifest("replaced") });
    expect(stderr).toContain("kubectl apply keeps the finalizer");
    for (const way of ["delete this object", "cloudplatform.dev/orphan", "spec.management.deletionPolicy to Orphan"])
      expect(stderr).toContain(way);
    expect(await finalizersOf("replaced")).toEqual(both);
  });

  test.each(["--server-side=false", "--server-side"])("kubectl apply %s keeps it and is allowed", async (how) => {
    const name = `applied${how.replaceAll("=", "")}`;
    await heldObject(name);
    const input = manifest(name, { spec: { description: "changed" } });
    expect(await must(cluster.kubectl, ["apply", "--as=ada", how, "-f", "-"], input)).toContain(name);
    expect(await finalizersOf(name)).toEqual(both);
  });

  const none = { metadata: { finalizers: null } };

  test("neither does a patch drop it, nor from an object that is being deleted", async () => {
    await heldObject("patched");
    expect(await patch("ada", "patched", none)).toContain("drops the finalizer");
    await must(cluster.kubectl, ["delete", "domain", "patched", "-n", team, "--wait=false", "--as=ada"]);
    expect(await patch("ada", "patched", none)).toContain("drops the finalizer");
    expect(await patch("system:admin", "patched", none)).toContain("drops the finalizer");
  });

  test.each<{ name: string; said: object; why: string }>([
    { name: "orphan", said: { metadata: { annotations: { [letGo]: "true" } } }, why: "the object is let go" },
    { name: "orphan", said: { spec: { management: { deletionPolicy: "Orphan" } } }, why: "it is orphaned" },
    { name: "observe", said: { spec: { management: { policy: "Observe" } } }, why: "it is only observed" },
  ])("it may be removed by hand where the cloud object is to stay: $why", async ({ name, said }) => {
    await heldObject(name);
    expect(await patch("ada", name, said)).toBe("");
    await must(cluster.kubectl, ["delete", "domain", name, "-n", team, "--wait=false", "--as=ada"]);
    expect(await patch("ada", name, none)).toBe("");
    expect((await cluster.kubectl(["get", "domain", name, "-n", team])).stderr).toContain("not found");
  });

  test("the operator drops it, and everybody drops those of others", async () => {
    await heldObject("finalized");
    expect(await patch("ada", "finalized", { metadata: { finalizers: [finalizer] } })).toBe("");
    expect(await patch(operator, "finalized", none)).toBe("");
    expect(await finalizersOf("finalized")).toBeUndefined();
  });

  test(`the finalizer in a namespace that is not listed ${held ? "is held too" : "is left to its own operator"}`, async () => {
    await heldObject("far", elsewhere);
    expect((await patch("ada", "far", none, elsewhere)).includes("drops the finalizer")).toBe(held);
  });

  test(`in a namespace that is not listed ${held ? "is held too" : "is left to its own operator"}`, async () => {
    await annotated("other", { [entry]: "old" }, elsewhere);
    const said = await annotate("ada", "other", `${entry}=new`, elsewhere);
    expect(said.includes("signed record")).toBe(held);
  });
});
