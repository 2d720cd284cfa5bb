/**
 * The docs room: makes the pages of the site from the Markdown files of the repository.
 *
 * The files stay readable on a code host: the room changes only links, and moves the first heading into the metadata.
 * May import src/generate and tools/run.
 */
import { existsSync, globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** A Markdown file, or a generated page, that becomes a page of the site. */
export interface Source {
  /** Path from the root of the repository. Links in the text are relative to the path. */
  path: string;
  text: string;
}

export interface Page extends Source {
  /** Path below the folder of the version, such as `guides/install/`. Empty for the first page. */
  slug: string;
  title: string;
  /** The first paragraph as plain text, shortened to one or two sentences. */
  description: string;
  /** The text without its first heading and without comments. */
  body: string;
}

/** Index of a folder without a README.md. */
const decisionsIndex = "docs/decisions/README.md";

/** Files that become pages. The pages of kinds replace crds/README.md. */
const patterns = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "docs/*.md",
  "docs/decisions/*.md",
  "examples/README.md",
  "examples/*/README.md",
  "charts/*/README.md",
];

/** Returns all pages, in the order of their paths. */
export function pagesOf(root: string, generated: Map<string, string>): Page[] {
  const files = globSync(patterns, { cwd: root })
    .sort()
    .map((path): Source => ({ path, text: readFileSync(join(root, path), "utf8") + filesBeside(root, path) }));
  const kinds = [...generated].map(([path, text]): Source => ({ path, text }));
  const decisions = files.filter(({ path }) => dirname(path) === dirname(decisionsIndex));
  return [...files, { path: decisionsIndex, text: indexOf(decisions) }, ...kinds].map(pageOf);
}

/** Returns the manifests and scripts of an example as a chapter of its page. */
function filesBeside(root: string, path: string): string {
  if (!/^examples\/[^/]+\/README\.md$/.test(path)) return "";
  const folder = join(root, dirname(path));
  const files = globSync("**/*.{yaml,sh}", { cwd: folder }).sort();
  const chapters = files.map((file) => {
    const text = readFileSync(join(folder, file), "utf8").trimEnd();
    return `### ${file}\n\n\`\`\`${file.endsWith(".sh") ? "sh" : "yaml"}\n${text}\n\`\`\`\n`;
  });
  return `\n## Files\n\n${chapters.join("\n")}`;
}

/** Returns the requests of an example that the contract tests recorded. */
export function recordedRequests(root: string): (kind: string, example: string) => string | undefined {
  return (kind, example) => {
    const file = join(root, "test/contract/golden", kind, `${example}.http`);
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  };
}

export function pageOf({ path, text }: Source): Page {
  const plain = text.replaceAll(/<!--[\s\S]*?-->\n*/g, "");
  const [, title = basename(path, ".md"), body = plain] = /^# (.+)\n([\s\S]*)$/.exec(plain.trimStart()) ?? [];
  return { path, text, slug: slugOf(path), title, description: descriptionOf(body), body: body.trimStart() };
}

/** Returns the path of a page on the site, for the path of its file. */
export function slugOf(path: string): string {
  const [first = "", ...rest] = path
    .replace(/(README)?\.md$/, "")
    .toLowerCase()
    .split("/");
  if (first === "charts") return "chart/";
  const folder = { docs: rest[0] === "decisions" ? "" : "guides", crds: "kinds" }[first] ?? first;
  const slug = [folder, ...rest].filter((part) => part !== "").join("/");
  return slug === "" ? "" : `${slug}/`;
}

function indexOf(decisions: Source[]): string {
  const lines = decisions.map(({ path, text }) => `- [${pageOf({ path, text }).title}](${basename(path)})\n`);
  return `# Decisions\n\nEach page gives the reasons for one part of the design.\n\n${lines.join("")}`;
}

function descriptionOf(body: string): string {
  const paragraph =
    body
      .trim()
      .split(/\n\n+/)
      .find((part) => /^(?!```)[A-Za-z`*[]/.test(part)) ?? "";
  const plain = paragraph
    .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]/g, "")
    .replaceAll(/\s+/g, " ");
  const short = /^.{20,160}?[.:](?=\s|$)/.exec(plain)?.[0] ?? plain.slice(0, 160);
  return short.replace(/:$/, ".");
}
