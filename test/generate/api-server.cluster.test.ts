/**
 * What is generated, judged by a real API server: CRDs of all kinds, their examples, and the rules that marks stand for.
 * The control plane is our own, since the protection of objects holds for the whole cluster.
 */
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { immutable, orderedList, rule, setOf, transitionRule } from "../../src/core/kind/schema.ts";
import { collate } from "../../src/generate/collate.ts";
import { loadKinds, type LoadedKind } from "../../src/generate/load-kinds.ts";
import { operatorNamespace } from "../../src/generate/rbac.ts";
import { exampleObject } from "../../src/generate/example-manifests.ts";
import { startControlPlane, type OwnControlPlane } from "../support/control-plane.ts";
import { loaded, probe } from "./probe.ts";
import { withoutRiskWarnings } from "../support/risk-warnings.ts";

const kindsFolder = path.resolve(import.meta.dirname, "../../src/kinds");
const { kinds } = await loadKinds(kindsFolder);
const short = z.string().max(20);

const tried = probe(
  {
    fixed: immutable(short).describe("Always there, never changed."),
    once: immutable(short).describe("Given at creation or never.").optional(),
    import: immutable(z.object({ from: short.describe("From.") }).describe("A word of CEL.")).optional(),
    names: setOf(short, 3).describe("A set.").optional(),
    rows: orderedList(z.object({ n: z.int().min(1).max(9).describe("N.") }), 3)
      .describe("A list.")
      .optional(),
    filter: z.record(z.string().max(4), short).meta({ maxProperties: 2 }).describe("A map.").optional(),
    size: z.literal([1, 3]).describe("One or three.").optional(),
    code: short
      .regex(/^[a-z]+$/)
      .regex(/^x/)
      .describe("Two patterns.")
      .optional(),
    address: z.ipv4().describe("An address.").optional(),
    even: rule(z.int().min(0).max(100), {
      cel: "self % 2 == 0",
      check: (value) => value % 2 === 0,
      message: "must be even",
    })
      .describe("Even.")
      .optional(),
    grows: transitionRule(z.int().min(0).max(100), { cel: "self >= oldSelf", message: "must not shrink" })
      .describe("Grows.")
      .optional(),
  },
  {
    admission: [{ cel: "self.metadata.name.matches('^[a-z-]+$')", message: "metadata.name must be letters" }],
    status: probe().status.extend({ note: short.optional() }),
  },
);

let plane: OwnControlPlane;
const generated = collate([...kinds, loaded(tried)]);

beforeAll(async () => {
  plane = await startControlPlane();
  const files = [...generated.files].filter(([file]) =>
    /^(crds|deploy\/admission)\/(?!kustomization).*\.yaml$/.test(file),
  );
  const applied = await plane.kubectl(["apply", "--server-side", "-f", "-"], {
    input: files.map(([, text]) => text).join("---\n"),
  });
  expect(applied).toMatchObject({ code: 0, stderr: "" });
  const established = await plane.kubectl(["wait", "crd", "--all", "--for=condition=Established", "--timeout=60s"]);
  expect(established.code).toBe(0);
});
afterAll(() => plane.stop());

function create(object: unknown, ...flags: string[]) {
  return plane.kubectl(["create", "-f", "-", ...flags], { input: JSON.stringify(object) });
}

function listOf(items: object[]): object {
  return { apiVersion: "v1", kind: "List", items };
}

function probeNamed(name: string, spec: object = {}) {
  return { ...exampleObject(tried, { name, doc: "", spec: { fixed: "a", ...spec } }) };
}

function patch(name: string, spec: object) {
  return plane.kubectl(["patch", "probes", name, "--type=merge", "-p", JSON.stringify({ spec })]);
}

/** Errors of objects and maps repeat the whole value before the message. */
function withoutValues(stderr: string): string {
  return stderr.replaceAll(/Invalid value: (?:"object"|\{.*?\}):/g, "Invalid value:");
}

/** Its exit code, and what the API server said of it. */
function accepted({ code, stderr }: { code: number; stderr: string }) {
  return { code, stderr: withoutRiskWarnings(stderr) };
}

describe("every kind", () => {
  it("has a CRD that the server established without a warning", async () => {
    expect(generated.problems.filter((problem) => !problem.includes("example"))).toEqual([]);
    const { stdout } = await plane.kubectl(["get", "crd", "-o", "name"]);
    for (const { kind } of kinds) expect(stdout).toContain(`/${kind.plural}.cloudplatform.dev`);
  });

  const withExamples = kinds.filter(({ kind }) => kind.examples.length > 0);
  it.each(withExamples)("accepts its examples, and every change of each: $kind.kind", async ({ kind }: LoadedKind) => {
    const made = await create(listOf(kind.examples.map((example) => exampleObject(kind, example))));
    expect(accepted(made)).toEqual({ code: 0, stderr: "" });
    const changed = kind.examples.flatMap((example) =>
      Object.values(example.changes ?? {}).map((change) =>
        exampleObject(kind, { ...example, spec: { ...example.spec, ...change } }),
      ),
    );
    if (changed.length === 0) return;
    const replaced = await plane.kubectl(["replace", "--dry-run=server", "-f", "-"], {
      input: JSON.stringify(listOf(changed)),
    });
    expect(accepted(replaced)).toEqual({ code: 0, stderr: "" });
  });

  it("is read by its short name, with the columns that people look at", async () => {
    await create(probeNamed("columns"));
    const { stdout } = await plane.kubectl(["get", "cpprobe", "columns"]);
    expect(stdout.split("\n")[0]?.split(/\s+/)).toEqual(["NAME", "ID", "AGE", "READY", "REASON", "MESSAGE"]);
    expect((await plane.kubectl(["get", "cloudplatform"])).stdout).toContain("probe.cloudplatform.dev/columns");
  });

  it("is unsettled before the first reconcile", async () => {
    await create(probeNamed("fresh"));
    const { stdout } = await plane.kubectl(["get", "probes", "fresh", "-o", "jsonpath={.status.observedGeneration}"]);
    expect(stdout).toBe("-1");
  });
});

describe("what is refused at creation", () => {
  const cases: { why: string; name?: string; spec: object; told: string }[] = [
    { why: "a rule, in its own words", spec: { even: 3 }, told: "spec.even: Invalid value: 3: must be even" },
    { why: "a rule over the whole object", name: "a1", spec: {}, told: "metadata.name must be letters" },
    { why: "a twin in a set", spec: { names: ["a", "a"] }, told: "spec.names[1]: Duplicate value" },
    {
      why: "a list that is too long",
      spec: { rows: [{ n: 1 }, { n: 1 }, { n: 1 }, { n: 1 }] },
      told: "Too many: 4: must have at most 3 items",
    },
    { why: "a map that is too large", spec: { filter: { a: "", b: "", c: "" } }, told: "must have at most 2 items" },
    {
      why: "a key that is too long",
      spec: { filter: { abcde: "" } },
      told: "spec.filter: Invalid value: a key has at most 4 characters",
    },
    { why: "a value outside of the enumeration", spec: { size: 2 }, told: "spec.size: Unsupported value: 2" },
    { why: "the second of two patterns", spec: { code: "ab" }, told: "should match '^x'" },
    { why: "an address that is none", spec: { address: "1.2.3" }, told: "spec.address" },
  ];
  it.each(cases)("$why", async ({ name = "refused", spec, told }) => {
    const { code, stderr } = await create(probeNamed(name, spec));
    expect(code).not.toBe(0);
    expect(withoutValues(stderr)).toContain(told);
  });

  it("nothing else", async () => {
    const spec = {
      once: "a",
      import: { from: "a" },
      names: ["a", "b"],
      rows: [{ n: 1 }],
      filter: { a: "b" },
      size: 3,
      code: "xa",
      address: "1.2.3.4",
      even: 2,
      grows: 1,
    };
    expect(await create(probeNamed("everything", spec))).toMatchObject({ code: 0, stderr: "" });
  });
});

describe("what is refused afterwards", () => {
  const given = { once: "a", import: { from: "a" }, grows: 5 };
  const cases: { why: string; name: string; before: object; change: object; told: string }[] = [
    {
      why: "a changed immutable field",
      name: "immutable",
      before: given,
      change: { fixed: "b" },
      told: "spec.fixed cannot change after creation",
    },
    {
      why: "a changed optional one",
      name: "optional",
      before: given,
      change: { once: "b" },
      told: "spec: Invalid value: spec.once cannot change after creation",
    },
    {
      why: "one that was removed",
      name: "removed",
      before: given,
      change: { once: null },
      told: "spec.once cannot change after creation",
    },
    {
      why: "one that was added",
      name: "added",
      before: {},
      change: { once: "a" },
      told: "spec.once cannot change after creation",
    },
    {
      why: "several, in one sentence",
      name: "several",
      before: given,
      change: { fixed: "b", once: "b" },
      told: "spec.fixed, spec.once cannot change after creation. Create another Probe",
    },
    {
      why: "something inside of one",
      name: "inside",
      before: given,
      change: { import: { from: "b" } },
      told: "spec.import cannot change after creation",
    },
    {
      why: "another account",
      name: "account",
      before: {},
      change: { accountRef: { name: "other" } },
      told: "spec.accountRef cannot change after creation",
    },
    { why: "a rule about a change", name: "shrunk", before: given, change: { grows: 4 }, told: "must not shrink" },
  ];
  it.each(cases)("$why", async ({ name, before, change, told }) => {
    expect((await create(probeNamed(name, before))).stderr).toBe("");
    const { code, stderr } = await patch(name, change);
    expect(code).not.toBe(0);
    expect(withoutValues(stderr)).toContain(told);
  });
});

describe("a protected object", () => {
  it("is not deleted, whoever asks, until the protection is taken back", async () => {
    await create(probeNamed("protected", { management: { protect: true } }));
    const refused = await plane.kubectl(["delete", "probes", "protected"]);
    expect(refused.stderr).toContain("spec.management.protect is true: set it to false before deleting this object");
    await patch("protected", { management: { protect: false } });
    expect((await plane.kubectl(["delete", "probes", "protected"])).code).toBe(0);
  });

  it("does not keep others: without management, or without the field", async () => {
    await create(probeNamed("bare"));
    await create(probeNamed("managed", { management: { policy: "Manage" } }));
    expect((await plane.kubectl(["delete", "probes", "bare", "managed"])).code).toBe(0);
  });
});

describe("the roles", () => {
  const operator = `system:serviceaccount:${operatorNamespace}:cloud-platform-operator`;
  const may = async (verb: string, resource: string, namespace = "default") =>
    (await plane.kubectl(["auth", "can-i", verb, resource, `--as=${operator}`, "-n", namespace])).stdout.trim();

  beforeAll(async () => {
    await plane.kubectl(["create", "namespace", operatorNamespace]);
    const files = [...generated.files].filter(([file]) => /^deploy\/rbac\/(?!kustomization)/.test(file));
    const input = files.map(([, text]) => text).join("---\n");
    const applied = await plane.kubectl(["apply", "-n", operatorNamespace, "-f", "-"], { input });
    expect(applied).toMatchObject({ code: 0, stderr: "" });
  });

  const cases: { why: string; verb: string; resource: string; namespace?: string; answer: "yes" | "no" }[] = [
    { why: "status is all that it reports", verb: "patch", resource: "probes/status", answer: "yes" },
    { why: "finalizers and annotations are on the object", verb: "patch", resource: "probes", answer: "yes" },
    { why: "objects of users go only by their hand", verb: "delete", resource: "probes", answer: "no" },
    { why: "generated passwords are stored", verb: "create", resource: "secrets", answer: "yes" },
    { why: "connection data of a former name are deleted", verb: "delete", resource: "secrets", answer: "yes" },
    { why: "Secrets are deleted one by one, by name", verb: "deletecollection", resource: "secrets", answer: "no" },
    {
      why: "its lease is in its own namespace",
      verb: "patch",
      resource: "leases",
      namespace: operatorNamespace,
      answer: "yes",
    },
    { why: "leases of others are none of its business", verb: "patch", resource: "leases", answer: "no" },
    { why: "it runs nothing", verb: "create", resource: "pods", answer: "no" },
  ];
  it.each(cases)(
    "may the operator $verb $resource: $answer, since $why",
    async ({ verb, resource, namespace, answer }) => {
      expect(await may(verb, resource, namespace)).toBe(answer);
    },
  );
});
