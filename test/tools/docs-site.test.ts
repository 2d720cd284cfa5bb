import { describe, expect, it } from "vitest";
import { kinds } from "../../src/kinds/registry.ts";
import { readSite } from "../../tools/docs/build.ts";
import { llmsText } from "../../tools/docs/llms.ts";
import type { Entry, Group } from "../../tools/docs/sidebar.ts";
import { guideOf } from "../docs/guides.ts";

const base = "/guides/1.2.3/";
const { pages, sidebar, texts } = await readSite({ base: "/guides/", version: "1.2.3", sources: undefined });
const slugs = new Map([...pages.values()].map((page) => [page.slug, page]));
const entries = sidebar.flatMap(entriesOf);

describe("the site", () => {
  it("has a page for each kind, and the sidebar shows each page of a kind", () => {
    const links = new Set(entries.map(({ link }) => link));
    const missing = kinds.map(({ kind }) => `/kinds/${kind.toLowerCase()}/`).filter((link) => !links.has(link));
    expect(missing).toEqual([]);
    expect(kinds.length).toBeGreaterThan(30);
  });

  it("has one page for each address", () => {
    expect(slugs.size).toBe(pages.size);
  });

  it("shows each guide and each decision in the sidebar, in the order of the index", () => {
    const guides = [...slugs.keys()].filter((slug) => /^(guides|decisions)\//.test(slug));
    const links = entries.map(({ link }) => link.slice(1));
    expect(guides.filter((slug) => !links.includes(slug))).toEqual([]);
    expect(entries.filter(({ link }) => !slugs.has(link.slice(1)))).toEqual([]);
    expect(links.indexOf("guides/install/")).toBeLessThan(links.indexOf("guides/first-instance/"));
  });

  it("has no link without a page, a file or a heading", () => {
    expect(texts.flatMap(({ broken }) => broken)).toEqual([]);
    const folder = base.slice(1);
    const guides = new Map(texts.map(({ page, body }) => [page.slug, guideOf({ path: "", text: body })]));
    const internal = [...guides].flatMap(([from, { links }]) =>
      links.flatMap(({ path, anchor }) =>
        path.startsWith(folder) ? [{ from, to: path.slice(folder.length), anchor }] : [],
      ),
    );
    expect(internal.length).toBeGreaterThan(500);
    expect(internal.filter(({ to, anchor }) => anchor !== "" && !guides.get(to)?.anchors.has(anchor))).toEqual([]);
  });

  it("shows the manifests of an example on its page", () => {
    expect(pages.get("examples/web-shop/README.md")?.body).toMatch(
      /### network\.yaml\n\n```yaml\n[\s\S]*kind: Firewall/,
    );
  });

  it("has a title and a description for each page", () => {
    const bare = [...pages.values()].filter(
      ({ title, description }) => title === "" || !/^[^|#`]{10,200}$/.test(description),
    );
    expect(bare.map(({ path, description }) => ({ path, description }))).toEqual([]);
  });

  it("lists each page of the sidebar in llms.txt, with its description", () => {
    const text = llmsText(sidebar, pages, base);
    const lines = text.split("\n").filter((line) => line.startsWith("- ["));
    expect(lines.length).toBe(entries.length);
    expect(text).toContain(`- [Firewall](${base}kinds/firewall/index.md): A packet-filter firewall`);
  });
});

function entriesOf(item: Entry | Group): Entry[] {
  return "items" in item ? item.items.flatMap(entriesOf) : [item];
}
