import { stringify } from "yaml";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { cloudAccount } from "../../src/kinds/account/cloud-account.ts";
import { kinds } from "../../src/kinds/registry.ts";
import { must } from "../../tools/demo/install.ts";
import { startControlPlane } from "../support/control-plane.ts";
import type { OwnControlPlane } from "../support/control-plane.ts";
import { applyAll, restrictedNamespace } from "./installation.ts";
import { manifestsOf } from "./rendered.ts";

/** The API server decides, with the policies of deploy/, whether an author may name a Secret or write into a Secret. */
let cluster: OwnControlPlane;
const namespace = "team-a";

/** May write all everyday kinds, and no Secret. */
const editor = `system:serviceaccount:${namespace}:editor`;
/** May write all kinds, and no Secret. */
const administrator = "administrator";
/** May write all kinds, and get Secrets and ConfigMaps with the name `mine`. */
const reader = "reader";
/** May write all kinds, and create Secrets. */
const writer = "writer";

beforeAll(async () => {
  cluster = await startControlPlane();
  await restrictedNamespace(cluster, "cloud-system");
  await restrictedNamespace(cluster, namespace);
  const { kubectl } = cluster;
  const manifests = manifestsOf(await must(kubectl, ["kustomize", "deploy/default"]));
  expect(
    await applyAll(
      cluster,
      manifests.filter(({ kind }) => kind !== "Deployment"),
    ),
  ).toBe("");
  const bind = (name: string, role: string, subject: string): Promise<string> =>
    must(kubectl, ["create", "rolebinding", name, role, subject, "-n", namespace]);
  await bind("editor", "--clusterrole=cloud-platform-operator-editor", `--serviceaccount=${namespace}:editor`);
  await bind("administrator", "--clusterrole=cloud-platform-operator-admin", `--user=${administrator}`);
  await bind("reader", "--clusterrole=cloud-platform-operator-admin", `--user=${reader}`);
  const names = ["--resource-name=mine"];
  const rules = ["--verb=get", "--verb=create", "--resource=secrets,configmaps", ...names];
  await must(kubectl, ["create", "role", "mine", ...rules, "-n", namespace]);
  await bind("mine", "--role=mine", `--user=${reader}`);
  await bind("writer", "--clusterrole=cloud-platform-operator-admin", `--user=${writer}`);
  await must(kubectl, ["create", "role", "creator", "--verb=create", "--resource=secrets", "-n", namespace]);
  await bind("creator", "--role=creator", `--user=${writer}`);
  const probe = {
    kind: "BucketObject",
    spec: { bucketRef: { name: "a" }, objectKey: "a", contentSecretRef: { name: "x" } },
  };
  await vi.waitFor(async () => expect(await refusal(editor, probe, "probe")).toContain("may not get Secret x"), 30_000);
});
afterAll(() => cluster?.stop());

interface Sample {
  kind: string;
  spec: object;
}

function manifestOf({ kind, spec }: Sample, name: string): string {
  const metadata = { name, namespace };
  return stringify({ apiVersion: "cloudplatform.dev/v1alpha1", kind, metadata, spec });
}

/** Refusal of a new object by the API server; empty if the API server accepts the object. */
async function refusal(user: string, sample: Sample, name: string): Promise<string> {
  const command = ["create", "--dry-run=server", `--as=${user}`, "-f", "-"];
  const { code, stderr } = await cluster.kubectl(command, { input: manifestOf(sample, name) });
  return code === 0 ? "" : stderr;
}

interface Naming {
  path: string;
  verb: "get" | "create";
  of: "Secret" | "ConfigMap";
  /** Spec with the given name in one field, and `mine` in the rest. */
  with: (name: string) => object;
  /** Undefined for a field without a key. */
  withKey: ((name: string, key: string) => object) | undefined;
}

/** Fields of a spec that name a Secret or a ConfigMap. */
function namings(spec: object): Naming[] {
  const paths = pathsIn(spec, []);
  return paths.map((path) => {
    const isReference = /(Secret|ConfigMap)Ref$|^secretRef$/.test(path.at(-2) ?? "");
    const withNames = (name: string): Record<string, unknown> => {
      const copy = structuredClone(spec) as Record<string, unknown> & { connectionSecret?: object };
      for (const member of ["type", "labels", "template"]) Reflect.deleteProperty(copy.connectionSecret ?? {}, member);
      for (const each of paths) set(copy, each, each === path ? name : "mine");
      return copy;
    };
    const hasKey = isReference && path.at(-2) !== "secretRef";
    return {
      path: textOf(isReference ? path.slice(0, -1) : path),
      verb: isReference ? "get" : "create",
      of: /ConfigMap/.test(path.at(-2) ?? "") ? "ConfigMap" : "Secret",
      with: withNames,
      withKey: hasKey
        ? (name, key) => {
            const copy = withNames(name);
            set(copy, [...path.slice(0, -1), "key"], key);
            return copy;
          }
        : undefined,
    };
  });
}

function pathsIn(node: unknown, path: string[]): string[][] {
  if (typeof node !== "object" || node === null) {
    const [last = "", parent = ""] = path.toReversed();
    const isName = last === "name" && /(Secret|ConfigMap)Ref$|^secretRef$|^connectionSecret$/.test(parent);
    return isName || /secretName$/i.test(last) ? [path] : [];
  }
  return Object.entries(node).flatMap(([name, member]) => pathsIn(member, [...path, name]));
}

function set(node: Record<string, unknown>, [first = "", ...rest]: string[], value: string): void {
  if (rest.length === 0) node[first] = value;
  else set(node[first] as Record<string, unknown>, rest, value);
}

function textOf(path: string[]): string {
  return path.reduce((text, step) => (/^\d+$/.test(step) ? `${text}[${step}]` : `${text}.${step}`), "spec");
}

/** Specs with fields that no example has. */
const further: Record<string, object[]> = {
  Image: [{ source: { handOff: { region: "us-east", secretName: "mine" } } }],
};

/** Fields of all kinds, with the first spec of an example. */
const fields = [...kinds, cloudAccount].flatMap((kind) => {
  const changed = kind.examples.flatMap(({ spec, changes = {} }) =>
    Object.values(changes).map((change): object => Object.assign({}, spec, change)),
  );
  const specs = [...kind.examples.map(({ spec }) => spec), ...changed, ...(further[kind.kind] ?? [])];
  const all = specs.flatMap((spec) => namings(spec));
  const first = all.filter(({ path }, index) => all.findIndex((other) => other.path === path) === index);
  const author = kind.guardsAccess === true ? administrator : editor;
  return first.map((naming) => Object.assign(naming, { kind: kind.kind, plural: kind.plural, author }));
});

const values = {
  type: { first: "example.org/release", other: "example.org/other", without: null },
  labels: { first: { owner: "helm" }, other: { owner: "web" }, without: { owner: null } },
  template: { first: { server: "first" }, other: { server: "other" }, without: { server: null } },
};

/** Fields of published Secrets that are content, and no name. */
const contents = kinds
  .filter(({ spec }) => "connectionSecret" in (spec as unknown as { shape: object }).shape)
  .flatMap((kind) => {
    const { connectionSecret: _, ...spec } = kind.examples[0]!.spec;
    return Object.entries(values).map(([member, value]) => ({
      kind: kind.kind,
      plural: kind.plural,
      author: kind.guardsAccess === true ? administrator : editor,
      path: `spec.connectionSecret.${member}`,
      with: (given: unknown): object => ({ ...spec, connectionSecret: { [member]: given } }),
      value,
    }));
  });

async function patchedAs(user: string, { plural }: { plural: string }, name: string, change: object): Promise<string> {
  const as = user === "system:admin" ? [] : [`--as=${user}`];
  const command = ["patch", `${plural}.cloudplatform.dev`, name, "-n", namespace, "--type=merge", "-p"];
  const { code, stderr } = await cluster.kubectl([...command, JSON.stringify(change), ...as]);
  return code === 0 ? "" : stderr;
}

describe.each(contents)("$kind $path", ({ kind, path, author, value: { first, other, without }, ...content }) => {
  const name = `content-${contents.findIndex((each) => each.kind === kind && each.path === path)}`;
  const patched = (user: string, change: object) => patchedAs(user, content, name, change);

  test("an author without the permission to create Secrets is refused, with field, namespace and cure", async () => {
    for (const user of [author, reader]) {
      const said = await refusal(user, { kind, spec: content.with(first) }, name);
      expect(said).toContain(
        `${path}: user ${user} may not create Secrets in namespace ${namespace}. Remove the field`,
      );
    }
  });

  test("an author who may create Secrets is not refused", async () => {
    expect(await refusal(writer, { kind, spec: content.with(first) }, name)).toBe("");
  });

  test("an author without the permission changes other fields of a stored object, and not the content", async () => {
    await must(cluster.kubectl, ["create", "-f", "-"], manifestOf({ kind, spec: content.with(first) }, name));
    const change = { metadata: { labels: { team: "web" } }, spec: { management: { protect: true } } };
    expect(await patched(author, change)).toBe("");
    expect(await patched(author, { spec: content.with(other) })).toContain(
      `${path}: user ${author} may not create Secrets`,
    );
    expect(await patched(writer, { spec: content.with(other) })).toBe("");
    expect(await patched(author, { spec: content.with(without) })).toBe("");
  });
});

test("examples have each field of each policy", async () => {
  const text = await must(cluster.kubectl, ["get", "validatingadmissionpolicies", "-o", "json"]);
  const { items } = JSON.parse(text) as {
    items: { metadata: { name: string }; spec: { validations: { message: string }[] }; status?: object }[];
  };
  const covered = items
    .filter(({ metadata }) => metadata.name.startsWith("secrets."))
    .flatMap(({ metadata, spec }) =>
      spec.validations.map(({ message }) => `${metadata.name.split(".")[1]} ${message.split(":")[0]}`),
    );
  const tested = [...fields, ...contents].map(({ plural, path }) => `${plural} ${path}`);
  expect(tested.sort()).toEqual(covered.sort());
  // The API server found no type of an expression wrong.
  expect(items.filter(({ status }) => JSON.stringify(status ?? {}).includes("expressionWarnings"))).toEqual([]);
});

describe.each(fields)("$kind $path", ({ kind, plural, path, verb, of, author, ...naming }) => {
  // Some kinds allow 32 characters.
  const name = `field-${fields.findIndex((other) => other.kind === kind && other.path === path)}`;

  test(`an author without the permission to ${verb} the ${of} is refused, with field, name and cure`, async () => {
    expect(await refusal(author, { kind, spec: naming.with("theirs") }, name)).toContain(`user ${author} may not`);
    const said = await refusal(reader, { kind, spec: naming.with("theirs") }, name);
    expect(said).toContain(`${path}: user ${reader} may not ${verb} ${of} theirs in namespace ${namespace}`);
    expect(said).toMatch(verb === "get" ? /Name a (Secret|ConfigMap) that this user may get/ : /Remove the field/);
  });

  test(`an author who may ${verb} the ${of} is not refused`, async () => {
    expect(await refusal(reader, { kind, spec: naming.with("mine") }, name)).toBe("");
  });

  test("an author without the permission changes other fields and labels of a stored object", async () => {
    await must(cluster.kubectl, ["create", "-f", "-"], manifestOf({ kind, spec: naming.with("theirs") }, name));
    const spec = kind === "CloudAccount" ? { pollSeconds: 120 } : { management: { protect: true } };
    const change = { metadata: { labels: { team: "web" }, finalizers: ["example.org/other"] }, spec };
    expect(await patched(author, change)).toBe("");
    expect(await patched("system:admin", { metadata: { finalizers: null } })).toBe("");
  });

  test("an author without the permission may not change the name or the key of a stored reference", async () => {
    expect(await replaced(author, naming.with("others"))).toMatch(/may not|cannot change after creation/);
    if (naming.withKey)
      expect(await replaced(author, naming.withKey("theirs", "other"))).toMatch(/may not|cannot change after creation/);
  });

  const patched = (user: string, change: object): Promise<string> => patchedAs(user, { plural }, name, change);

  function replaced(user: string, spec: object): Promise<string> {
    return patched(user, { spec });
  }
});

test("a user with Kubernetes' own edit role names each Secret of the namespace", async () => {
  await must(cluster.kubectl, ["create", "rolebinding", "ada", "--clusterrole=edit", "--user=ada", "-n", namespace]);
  const spec = { bucketRef: { name: "a" }, objectKey: "a", contentSecretRef: { name: "theirs" } };
  await vi.waitFor(async () => expect(await refusal("ada", { kind: "BucketObject", spec }, "ada")).toBe(""), 20_000);
});

test("an object whose name the API server generates is checked in its namespace", async () => {
  const spec = { bucketRef: { name: "a" }, objectKey: "a", contentSecretRef: { name: "theirs" } };
  const metadata = { generateName: "leak-", namespace };
  const input = stringify({ apiVersion: "cloudplatform.dev/v1alpha1", kind: "BucketObject", metadata, spec });
  const { stderr } = await cluster.kubectl(["create", `--as=${editor}`, "-f", "-"], { input });
  expect(stderr).toContain("may not get Secret theirs in namespace team-a");
});

test.each(["..", "a/b", "Upper", "a..b", "-a", "."])("a Secret named %s is refused by the definition", async (name) => {
  const spec = { bucketRef: { name: "a" }, objectKey: "a", contentSecretRef: { name } };
  const { stderr } = await cluster.kubectl(["create", "--dry-run=server", "-f", "-"], {
    input: manifestOf({ kind: "BucketObject", spec }, "named"),
  });
  expect(stderr).toContain("spec.contentSecretRef.name");
});
