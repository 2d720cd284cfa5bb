/** Writes the pages for language models, in the form of llmstxt.org: a list of pages, and all pages in one file. */
import type { Page } from "./pages.ts";
import type { Entry, Group } from "./sidebar.ts";

/** Returns llms.txt: the groups of the sidebar with links to the Markdown of each page. */
export function llmsText(sidebar: (Entry | Group)[], pages: Map<string, Page>, base: string): string {
  const bySlug = new Map([...pages.values()].map((page) => [page.slug, page]));
  const summary = bySlug.get("")?.description ?? "";
  const first = sidebar.filter((item): item is Entry => "link" in item);
  const groups = sidebar.filter((item): item is Group => "items" in item);
  const lines = (entries: (Entry | Group)[]): string =>
    entries.map((entry) => ("items" in entry ? lines(entry.items) : lineOf(entry, bySlug, base))).join("");
  const sections = [{ label: "Start", items: first }, ...groups].map(
    ({ label, items }) => `\n## ${label}\n\n${lines(items)}`,
  );
  return `# cloud-platform-operator\n\n> ${summary}\n${sections.join("")}`;
}

function lineOf({ label, link }: Entry, bySlug: Map<string, Page>, base: string): string {
  const slug = link.slice(1);
  return `- [${label}](${base}${markdownPath(slug)}): ${bySlug.get(slug)?.description ?? ""}\n`;
}

/** Returns the path of the Markdown of a page below the base. */
export function markdownPath(slug: string): string {
  return `${slug}index.md`;
}

/** Returns llms-full.txt: the Markdown of all pages. */
export function llmsFullText(pages: { title: string; body: string }[]): string {
  return pages.map(({ title, body }) => `# ${title}\n\n${body.trim()}\n`).join("\n");
}
