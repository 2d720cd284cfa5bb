/** Builds one version of the site. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { kindPages } from "../../src/generate/kind-page.ts";
import { loadKinds } from "../../src/generate/load-kinds.ts";
import { root } from "../run/places.ts";
import { brokenLinks } from "./check-html.ts";
import { ensureSitePackages, run } from "./install.ts";
import { linked } from "./links.ts";
import type { Linked } from "./links.ts";
import { llmsFullText, llmsText, markdownPath } from "./llms.ts";
import { pagesOf, recordedRequests } from "./pages.ts";
import type { Page } from "./pages.ts";
import { sidebarOf } from "./sidebar.ts";
import type { Entry, Group } from "./sidebar.ts";
import { mainVersion, redirect, withVersion } from "./versions.ts";

export interface SiteOptions {
  /** Folder of the site. Versions that the folder contains stay. */
  folder: string;
  version: string;
  /** Path of the site on its server, with a slash at both ends. */
  base: string;
  /** Address of the repository's files, with a slash at the end. */
  sources: string | undefined;
}

/** The pages of a version with the links of the site. */
export interface Site {
  pages: Map<string, Page>;
  texts: (Linked & { page: Page })[];
  sidebar: (Entry | Group)[];
}

/** Reads the files and kinds of the repository. */
export async function readSite({ base, version, sources }: Omit<SiteOptions, "folder">): Promise<Site> {
  const { kinds } = await loadKinds(join(root, "src/kinds"));
  const all = pagesOf(root, kindPages(kinds, recordedRequests(root)));
  const pages = new Map(all.map((page) => [page.path, page]));
  const target = { base: `${base}${version}/`, sources, root };
  const texts = all.map((page) => Object.assign(linked(page, pages, target), { page }));
  return { pages, texts, sidebar: sidebarOf(pages) };
}

/**
 * Builds the site, and adds the version to the list of versions. Returns the number of pages.
 *
 * @throws Error with the broken links, or if the build fails
 */
export async function buildSite(options: SiteOptions): Promise<number> {
  const { folder, version, base } = options;
  const site = await readSite(options);
  refuse(site.texts.flatMap(({ broken }) => broken));
  const packages = await ensureSitePackages();
  const stage = mkdtempSync(join(packages, "build-"));
  const outDir = join(folder, version);
  try {
    writeStage(stage, site, { ...options, outDir });
    const code = await run(join(packages, "node_modules/.bin/astro"), ["build"], stage);
    if (code !== 0) throw new Error(`the build of the site failed with ${code}`);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
  refuse(brokenLinks(outDir, `${base}${version}/`));
  const file = join(folder, "versions.json");
  const published = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as string[]) : [];
  const versions = withVersion(published, version);
  write(file, `${JSON.stringify(versions)}\n`);
  write(join(folder, "index.html"), redirect(base, mainVersion(versions)));
  return site.texts.length;
}

/** Writes the project of the site: its own files, the pages, and what the configuration reads. */
function writeStage(stage: string, { pages, texts, sidebar }: Site, options: SiteOptions & { outDir: string }): void {
  const base = `${options.base}${options.version}/`;
  for (const name of ["src", "public", "package.json", "astro.config.mjs"])
    cpSync(join(root, "site", name), join(stage, name), { recursive: true });
  for (const { page, body } of texts) {
    const { slug, title, description } = page;
    const head = JSON.stringify({ title, description });
    write(
      join(stage, "src/content/docs", `${slug === "" ? "index" : slug.slice(0, -1)}.md`),
      `---\n${head}\n---\n\n${body}`,
    );
    write(join(stage, "public", markdownPath(slug)), `# ${title}\n\n${body}`);
  }
  for (const asset of new Set(texts.flatMap(({ assets }) => assets)))
    cpSync(join(root, asset), join(stage, "public", asset));
  write(join(stage, "public/llms.txt"), llmsText(sidebar, pages, base));
  write(join(stage, "public/llms-full.txt"), llmsFullText(texts.map(({ page: { title }, body }) => ({ title, body }))));
  const description = pages.get("README.md")?.description ?? "";
  const { outDir, version, base: top } = options;
  write(join(stage, "site.json"), JSON.stringify({ base, root: top, version, outDir, description, sidebar }));
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function refuse(broken: string[]): void {
  if (broken.length > 0) throw new Error(`${broken.length} broken links:\n${broken.join("\n")}`);
}
