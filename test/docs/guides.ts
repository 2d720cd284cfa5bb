import { dirname, join, normalize } from "node:path";
import { filesOf } from "../support/sources.ts";

export interface Block {
  /** What stands behind the fence: `yaml`, `ts`, or nothing. */
  language: string;
  text: string;
}

/** A page of Markdown, taken apart. */
export interface Guide {
  path: string;
  /** As a code host makes them of its headings. */
  anchors: Set<string>;
  /** Targets in this repository: path from the root, and anchor, empty where there is none. */
  links: { path: string; anchor: string }[];
  blocks: Block[];
  /** Code within the text, without its backticks. */
  spans: string[];
}

const fence = /^([ ]*)```(\w*)\n([\s\S]*?)^\1```$/gm;

/** Every page that people read. */
export const guides: Guide[] = filesOf("*.md", "docs/**/*.md", "crds/*.md", "charts/*/*.md", "examples/**/*.md").map(
  guideOf,
);

/** Blocks and spans of all pages, each with its page. */
export const code: { path: string; text: string }[] = guides.flatMap(({ path, blocks, spans }) =>
  [blocks.map(({ text }) => text), spans].flat().map((text) => ({ path, text })),
);

/** Takes a page apart; `path` is from the root. */
export function guideOf({ path, text }: { path: string; text: string }): Guide {
  const blocks = [...text.matchAll(fence)].map(([, indent = "", language = "", inner = ""]) => ({
    language,
    text: inner.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  }));
  const prose = text.replaceAll(fence, "");
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);
  const targets = [...prose.replaceAll(/`[^`\n]+`/g, "").matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return { path, anchors: anchorsOf(prose), links: targets.flatMap((target) => linkOf(path, target)), blocks, spans };
}

function linkOf(from: string, target: string): Guide["links"] {
  if (/^[a-z]+:/.test(target)) return [];
  const [path = "", anchor = ""] = target.split("#");
  return [{ path: path === "" ? from : normalize(join(dirname(from), path)), anchor }];
}

function anchorsOf(prose: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of prose.matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const plain = heading.toLowerCase().replaceAll(/\]\([^)]*\)/g, "");
    const anchor = plain.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "").replaceAll(" ", "-");
    let unique = anchor;
    for (let again = 1; anchors.has(unique); again += 1) unique = `${anchor}-${again}`;
    anchors.add(unique);
  }
  return anchors;
}
