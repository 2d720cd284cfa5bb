import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../support/sources.ts";
import { guideOf, guides } from "./guides.ts";

describe("a link within the repository", () => {
  it.each(guides.filter(({ links }) => links.length > 0))("leads somewhere: $path", ({ links }) => {
    const missing = links.filter(({ path }) => !existsSync(join(root, path)));
    expect(missing).toEqual([]);
  });

  it.each(guides.filter(({ links }) => links.some(({ anchor }) => anchor !== "")))(
    "names a heading that is there: $path",
    ({ links }) => {
      const stray = links.filter(({ path, anchor }) => anchor !== "" && !anchorsOf(path).has(anchor));
      expect(stray).toEqual([]);
    },
  );

  it("is found in every guide but the index by the index", () => {
    const index = guides.find(({ path }) => path === "docs/README.md");
    const listed = new Set(index?.links.map(({ path }) => path));
    const own = guides.filter(({ path }) => /^docs\/[^/]+\.md$/.test(path) && path !== "docs/README.md");
    expect(own.filter(({ path }) => !listed.has(path)).map(({ path }) => path)).toEqual([]);
  });
});

describe("a page is taken apart", () => {
  const page = guideOf({
    path: "docs/page.md",
    text: '# Why: a "page"?\n\n[in](#one-more) [out](../crds/README.md#common-fields) [far](https://example.org/#x)\n\n## One more\n\n## One more\n\n- `span`\n\n  ```yaml\n  a: {b: 1} # `no span` [no](link.md)\n  ```\n',
  });

  it("into anchors, doubled headings numbered", () => {
    expect([...page.anchors]).toEqual(["why-a-page", "one-more", "one-more-1"]);
  });

  it("into links of the repository, those in code left out", () => {
    const links = [
      { path: "docs/page.md", anchor: "one-more" },
      { path: "crds/README.md", anchor: "common-fields" },
    ];
    expect(page.links).toEqual(links);
  });

  it("into code, without the indentation of a list", () => {
    expect(page.spans).toEqual(["span"]);
    expect(page.blocks).toEqual([{ language: "yaml", text: "a: {b: 1} # `no span` [no](link.md)\n" }]);
  });
});

function anchorsOf(path: string): Set<string> {
  return guides.find((guide) => guide.path === path)?.anchors ?? new Set();
}
