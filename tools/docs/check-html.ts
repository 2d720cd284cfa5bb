/** Checks the links and anchors of a built site. */
import { globSync, readFileSync, existsSync } from "node:fs";
import { join } from "node:path";

/** Returns the links of a built site that lead to no file or no anchor, one line each. Ignores links to other sites. */
export function brokenLinks(folder: string, base: string): string[] {
  const files = globSync("**/*.html", { cwd: folder }).sort();
  const pages = new Map(files.map((file) => [file.replaceAll("\\", "/"), readPage(join(folder, file))]));
  return [...pages].flatMap(([file, { links }]) =>
    [...links].flatMap((link) => {
      const problem = problemOf(link, file);
      return problem === undefined ? [] : [`${file}: ${link}: ${problem}`];
    }),
  );

  function problemOf(link: string, from: string): string | undefined {
    const [address = "", anchor = ""] = link.split("#");
    if (address !== "" && !address.startsWith(base)) return "is outside of the site";
    const path = address === "" ? from : fileOf(decodeURIComponent(address.slice(base.length)));
    const page = pages.get(path);
    if (!page) return existsSync(join(folder, path)) ? undefined : "the page does not exist";
    return anchor === "" || page.anchors.has(decodeURIComponent(anchor)) ? undefined : "the page has no such anchor";
  }
}

function fileOf(path: string): string {
  return path === "" || path.endsWith("/") ? `${path}index.html` : path;
}

function readPage(file: string): { links: Set<string>; anchors: Set<string> } {
  const html = readFileSync(file, "utf8");
  const values = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, value = ""]) => unescaped(value));
  const links = values(/\s(?:href|src)="([^"]*)"/g).filter((link) => link !== "" && !/^([a-z]+:|\/\/)/i.test(link));
  return { links: new Set(links), anchors: new Set(["_top", ...values(/\sid="([^"]*)"/g)]) };
}

function unescaped(value: string): string {
  return value.replaceAll("&#x26;", "&").replaceAll("&#38;", "&").replaceAll("&amp;", "&");
}
