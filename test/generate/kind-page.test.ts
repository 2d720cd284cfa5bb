import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { kindIndexPath, kindPagePath, kindPages } from "../../src/generate/kind-page.ts";
import { loadKinds } from "../../src/generate/load-kinds.ts";

const { kinds: loaded } = await loadKinds(path.resolve(import.meta.dirname, "../../src/kinds"));
const requests = "# the example\n\n### create\nPOST /v4/requests\n";
const pages = kindPages(loaded, () => requests);
const sections = [
  "Smallest manifest",
  "Fields",
  "Conditions",
  "Drift",
  "Price",
  "Permissions",
  "Worked example",
] as const;

describe("the pages of kinds", () => {
  it("are one for each kind, and an index that links to each page", () => {
    const paths = loaded.map(({ kind }) => kindPagePath(kind));
    expect([...pages.keys()]).toEqual([kindIndexPath, ...paths]);
    expect(paths.length).toBeGreaterThanOrEqual(40);
    const unlinked = paths.filter((page) => !pages.get(kindIndexPath)?.includes(`](${path.basename(page)})`));
    expect(unlinked).toEqual([]);
  });
});

describe.each(loaded.map(({ kind }) => kind))("the page of $kind", (kind) => {
  const page = pages.get(kindPagePath(kind)) ?? "";

  it("has each section once, in order, and each section has content", () => {
    expect([...page.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual([...sections]);
    expect(sections.filter((title) => sectionOf(page, title).length < 20)).toEqual([]);
    expect(page).not.toMatch(/undefined|\[object /);
  });

  it("begins with the purpose of the kind", () => {
    expect(page).toContain(`# ${kind.kind}\n\n${kind.doc}\n`);
  });

  it("shows a manifest that the kind accepts, or says that only the operator writes the objects", () => {
    const [yaml] = blocksOf(sectionOf(page, "Smallest manifest"));
    if (kind.examples.length === 0) {
      expect(yaml).toBeUndefined();
      expect(sectionOf(page, "Smallest manifest")).toContain("The operator writes the objects");
    } else {
      const { kind: name, spec } = parse(yaml!) as { kind: string; spec: unknown };
      expect(name).toBe(kind.kind);
      expect(kind.spec.safeParse(spec).success).toBe(true);
    }
  });

  it("names each field of the spec and of the status, or links to the common fields", () => {
    const text = sectionOf(page, "Fields");
    const common = sectionOf(pages.get(kindIndexPath) ?? "", "Common fields");
    const known = text.includes("README.md#common-fields") ? text + common : text;
    const names = [
      ...Object.keys(kind.spec.shape).map((field) => `\`spec.${field}\``),
      ...Object.keys(kind.status.shape).map((field) => `\`status.${field}\``),
    ];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });

  it("ends with an example that contains all needed objects", () => {
    const [yaml = ""] = blocksOf(sectionOf(page, "Worked example"));
    const kindsThere = parseAllDocuments(yaml).map((document) => (document.toJS() as { kind: string }).kind);
    expect(kindsThere.at(-1)).toBe(kind.kind);
    const example = kind.examples.find(({ name }) => yaml.includes(`  name: ${name}\n`));
    for (const need of example?.needs ?? []) expect(kindsThere).toContain(need.kind);
    expect(page.includes("POST /v4/requests")).toBe(kind.examples.length > 0);
  });
});

it("the price of an instance points to the catalog of types and names the fields that cost extra", () => {
  const price = sectionOf(pages.get("crds/computeinstance.md") ?? "", "Price");
  expect(price).toContain("`kubectl get cptypes`");
  expect(price).toMatch(/\| `spec\.backups` \| .*extra cost/);
});

it("the price of a record points to the service", () => {
  expect(sectionOf(pages.get("crds/domainrecord.md") ?? "", "Price")).toContain("The cloud API shows no price");
});

it("a kind that grants access is missing from the editor role", () => {
  expect(sectionOf(pages.get("crds/objectstoragekey.md") ?? "", "Permissions")).not.toContain(
    "cloud-platform-operator-editor",
  );
  expect(sectionOf(pages.get("crds/firewall.md") ?? "", "Permissions")).toContain("cloud-platform-operator-editor");
});

function sectionOf(page: string, title: string): string {
  return page.split(`\n## ${title}\n`)[1]?.split("\n## ")[0]?.trim() ?? "";
}

function blocksOf(section: string): string[] {
  return [...section.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = ""]) => text);
}
