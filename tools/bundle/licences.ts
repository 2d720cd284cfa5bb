import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

export interface BundledPackage {
  name: string;
  version: string;
  license: string;
  author?: string | { name: string };
  folder: string;
}

/** The packages of which a bundle holds at least one byte, by name; `root` is what the metafiles' paths begin at. */
export function bundledPackages(metafiles: Metafile[], root: string): BundledPackage[] {
  const inputs = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap((output) => Object.entries(output.inputs))
    .filter(([path, { bytesInOutput }]) => path.includes("node_modules/") && bytesInOutput > 0);
  const folders = new Set(inputs.map(([path]) => packageFolder(join(root, path))));
  return [...folders].map(packageIn).toSorted((a, b) => a.name.localeCompare(b.name, "en"));
}

/**
 * One text with the licence of each package; one that names the MIT licence alone gets its words and the author's name.
 *
 * @throws Error that names a package which carries no licence text
 */
export function licences(packages: BundledPackage[]): string {
  const parts = packages.map(({ name, version, license, author, folder }) => {
    const texts = licenceTexts(folder);
    if (texts.length === 0 && license === "MIT") texts.push(mit(author));
    if (texts.length === 0) throw new Error(`${name} ${version} carries no licence text`);
    return `${"=".repeat(80)}\n${name} ${version} (${license})\n\n${texts.join("\n\n")}\n`;
  });
  return `These programs contain the following packages.\n\n${parts.join("\n")}`;
}

/** The folder of the package that a file belongs to: a package may hold package.json files without a name. */
function packageFolder(path: string): string {
  const parts = path.split("node_modules/");
  const words = (parts.at(-1) ?? "").split("/");
  const name = words.slice(0, words[0]?.startsWith("@") === true ? 2 : 1);
  return join(parts.slice(0, -1).join("node_modules/"), "node_modules", ...name);
}

function packageIn(folder: string): BundledPackage {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as BundledPackage;
  return { ...manifest, folder };
}

function licenceTexts(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /^((un)?licen[cs]e|copying|notice)([.-]|$)/i.test(name))
    .toSorted()
    .map((name) => readFileSync(join(folder, name), "utf8").trim());
}

function mit(author: BundledPackage["author"]): string {
  return `Copyright (c) ${typeof author === "object" ? author.name : (author ?? "its authors")}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
}
