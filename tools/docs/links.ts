/** Turns links between files of the repository into links between pages of the site. */
import { existsSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import type { Page } from "./pages.ts";

export interface Target {
  /** Path of the folder of the version, such as `/guides/0.1.0/`. */
  base: string;
  /** Address of the repository's files, with a slash at the end. Without an address, links to files become plain text. */
  sources: string | undefined;
  root: string;
}

export interface Linked {
  /** Text for the site. */
  body: string;
  /** Files that the site must contain, such as plots. */
  assets: string[];
  /** Links without a target, one line each. */
  broken: string[];
}

const link = /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)/g;

/** Code blocks and code spans contain no links. */
const code = /(^ *```[\s\S]*?^ *```$|`[^`\n]+`)/m;

/** Returns the text of a page with the links of the site. A label of a link can contain code. */
export function linked(page: Page, pages: Map<string, Page>, target: Target): Linked {
  const assets: string[] = [];
  const broken: string[] = [];
  const hidden: string[] = [];
  const shown = (text: string): string =>
    text.replaceAll(/\uE000(\d+)\uE001/g, (_, at: string) => hidden[Number(at)] ?? "");
  const body = page.body
    .split(code)
    .map((part, at) => (at % 2 === 0 ? part : `\uE000${hidden.push(part) - 1}\uE001`))
    .join("")
    .replaceAll(link, (whole: string, image: string, label: string, address: string) => {
      if (/^[a-z]+:/.test(address)) return whole;
      const [file = "", anchor = ""] = address.split("#");
      const path = file === "" ? page.path : normalize(join(dirname(page.path), file)).replace(/\/$/, "");
      if (image !== "") {
        assets.push(path);
        return `![${label}](${target.base}${path})`;
      }
      const found = pageAt(path, anchor, pages);
      if (found) return `[${label}](${target.base}${found})`;
      if (!existsSync(join(target.root, path))) broken.push(`${page.path}: no file or page ${address}`);
      return target.sources === undefined ? label : `[${label}](${target.sources}${path})`;
    });
  return { body: shown(body), assets, broken: broken.map(shown) };
}

/** Returns the path of a page below the base, with its anchor. A chapter of crds/README.md is a page of its own. */
function pageAt(path: string, anchor: string, pages: Map<string, Page>): string | undefined {
  if (path === "crds/README.md") {
    const kind = pages.get(`crds/${anchor}.md`);
    if (kind) return kind.slug;
  }
  const page = pages.get(path) ?? pages.get(`${path}/README.md`);
  return page && `${page.slug}${anchor === "" ? "" : `#${anchor}`}`;
}
