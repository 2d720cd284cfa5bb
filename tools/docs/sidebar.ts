/** Derives the sidebar from the tables of docs/README.md, so that no second list of guides exists. */
import { dirname, join, normalize } from "node:path";
import type { Page } from "./pages.ts";

export interface Group {
  label: string;
  items: Entry[];
  collapsed?: boolean;
}

export interface Entry {
  label: string;
  /** Path below the base. Starlight adds the base. */
  link: string;
}

const index = "docs/README.md";

/** Returns a group for each heading of the index with a table of guides. The kinds by area follow the first group. */
export function sidebarOf(pages: Map<string, Page>): (Entry | Group)[] {
  const text = pages.get(index)?.body ?? "";
  const parts = text.split(/^#{2,3} +/m).slice(1);
  const guides = parts.flatMap((part): Group[] => {
    const items = entriesOf(part, pages);
    return items.length > 0 ? [{ label: part.split("\n")[0] ?? "", items }] : [];
  });
  const home = [
    { label: "Overview", link: "/" },
    { label: "All guides", link: "/guides/" },
  ];
  return [...home, ...guides.slice(0, 1), ...kindGroups(pages), ...guides.slice(1), decisions(pages)];
}

/** Returns the first link of each row of a table. */
function entriesOf(part: string, pages: Map<string, Page>): Entry[] {
  return [...part.matchAll(/^\| (?:\d+\. )?\[([^\]]+)\]\(([^)#]+)\) \|/gm)].flatMap(([, label = "", file = ""]) => {
    const path = normalize(join(dirname(index), file));
    const page = pages.get(path) ?? pages.get(`${path}/README.md`);
    return page ? [{ label, link: `/${page.slug}` }] : [];
  });
}

/** Returns the kinds by area, from the index of kinds. */
function kindGroups(pages: Map<string, Page>): [Group & { items: (Entry | Group)[] }] {
  const parts = (pages.get("crds/README.md")?.body ?? "").split(/^## +/m).slice(1);
  const groups = parts.flatMap((part): Group[] => {
    const rows = [...part.matchAll(/^\| \[(\w+)\]\((\w+\.md)\) \|/gm)];
    const items = rows.map(([, label = "", file = ""]) => ({
      label,
      link: `/${pages.get(`crds/${file}`)?.slug ?? ""}`,
    }));
    return items.length > 0 ? [{ label: part.split("\n")[0] ?? "", items, collapsed: true }] : [];
  });
  return [{ label: "Kinds", items: [{ label: "All kinds", link: "/kinds/" }, ...groups] as Entry[] }];
}

function decisions(pages: Map<string, Page>): Group {
  const found = [...pages.values()].filter(({ path }) => dirname(path) === "docs/decisions");
  const items = found.map(({ title, slug }) => ({ label: title, link: `/${slug}` }));
  return { label: "Decisions", items: items.toSorted((a, b) => (a.link < b.link ? -1 : 1)), collapsed: true };
}
