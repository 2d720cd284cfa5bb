import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { brokenLinks } from "../../tools/docs/check-html.ts";
import { linked } from "../../tools/docs/links.ts";
import { pageOf, slugOf } from "../../tools/docs/pages.ts";
import { mainVersion, withVersion } from "../../tools/docs/versions.ts";
import { root } from "../support/sources.ts";

const pages = new Map(
  [
    { path: "README.md", text: "# Product\n" },
    { path: "docs/install.md", text: "# Install\n" },
    { path: "crds/README.md", text: "# Kinds\n" },
    { path: "crds/firewall.md", text: "# Firewall\n" },
  ].map((source) => [source.path, pageOf(source)]),
);

function body(text: string, sources?: string): string {
  const page = pageOf({ path: "docs/page.md", text: `# Page\n\n${text}` });
  return linked(page, pages, { base: "/1.0.0/", sources, root }).body;
}

describe("a link of a page", () => {
  it.each([
    ["to a guide", "[a](install.md)", "[a](/1.0.0/guides/install/)"],
    ["to a heading of a guide", "[a](install.md#helm)", "[a](/1.0.0/guides/install/#helm)"],
    ["to the first page", "[a](../README.md#try-it)", "[a](/1.0.0/#try-it)"],
    [
      "to a chapter of the reference, which is a page",
      "[a](../crds/README.md#firewall)",
      "[a](/1.0.0/kinds/firewall/)",
    ],
    ["to the reference", "[a](../crds/README.md#common-fields)", "[a](/1.0.0/kinds/#common-fields)"],
    ["to a file, without an address of the files", "[`a`](../package.json)", "`a`"],
    ["to another site", "[a](https://example.org/b.md)", "[a](https://example.org/b.md)"],
    ["inside a code span", "`[a](install.md)`", "`[a](install.md)`"],
    ["inside a code block", "```\n[a](gone.md)\n```", "```\n[a](gone.md)\n```"],
  ])("%s", (_, text, expected) => {
    expect(body(text)).toBe(expected);
  });

  it("to a file leads to the repository, if the build knows the address", () => {
    expect(body("[a](../src/main.ts)", "https://example.org/blob/v1/")).toBe(
      "[a](https://example.org/blob/v1/src/main.ts)",
    );
  });

  it("to a missing file is broken", () => {
    const page = pageOf({ path: "docs/page.md", text: "# Page\n\n[a](gone.md), [`b`](../lost/)" });
    const { broken } = linked(page, pages, { base: "/", sources: undefined, root });
    expect(broken).toEqual(["docs/page.md: no file or page gone.md", "docs/page.md: no file or page ../lost/"]);
  });
});

describe("a built site", () => {
  const folder = mkdtempSync(join(tmpdir(), "site-"));
  const write = (files: Record<string, string>): void => {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
  };
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("has broken links to missing pages, missing headings and addresses outside of the site", () => {
    write({
      "index.html": '<a href="/v1/a/#here">1</a><a href="/v1/a/#gone">2</a><a href="/v1/b/">3</a><img src="/x.svg">',
      "a/index.html":
        '<h2 id="here">4</h2><a href="#here">5</a><a href="https://example.org/">6</a><a href="/v1/">7</a>',
    });
    expect(brokenLinks(folder, "/v1/")).toEqual([
      "index.html: /v1/a/#gone: the page has no such anchor",
      "index.html: /v1/b/: the page does not exist",
      "index.html: /x.svg: is outside of the site",
    ]);
  });
});

describe("the versions of the site", () => {
  it("are sorted with the newest first, a release before its candidates, and names last", () => {
    const published = ["next", "0.9.0", "0.10.0-rc.2", "0.10.0-rc.10"];
    expect(withVersion(published, "0.10.0")).toEqual(["0.10.0", "0.10.0-rc.10", "0.10.0-rc.2", "0.9.0", "next"]);
  });

  it("contain a version that is built again only once", () => {
    expect(withVersion(["0.2.0", "0.1.0"], "0.1.0")).toEqual(["0.2.0", "0.1.0"]);
  });

  it("lead to the newest release, or without a release to the newest version", () => {
    expect(mainVersion(["0.3.0-rc.1", "0.2.0", "next"])).toBe("0.2.0");
    expect(mainVersion(["0.3.0-rc.1", "next"])).toBe("0.3.0-rc.1");
  });
});

it("the address of a page follows the path of its file", () => {
  const paths = [
    "README.md",
    "docs/README.md",
    "docs/decisions/0001-a.md",
    "examples/web-shop/README.md",
    "charts/x/README.md",
  ];
  expect(paths.map(slugOf)).toEqual(["", "guides/", "decisions/0001-a/", "examples/web-shop/", "chart/"]);
});
