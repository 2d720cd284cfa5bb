/** Builds the guides as a static site in dist/site. With --serve, then serves the site on this machine. */
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildSite } from "./docs/build.ts";
import { serve } from "./docs/serve.ts";
import { root } from "./run/places.ts";

const { values } = parseArgs({
  options: {
    version: { type: "string" },
    base: { type: "string" },
    folder: { type: "string" },
    sources: { type: "string" },
    serve: { type: "string" },
  },
});
const { version: own } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
const version = values.version || own;
const base = `/${(values.base ?? "").replaceAll(/^\/|\/$/g, "")}/`.replace("//", "/");
const folder = resolve(root, values.folder || "dist/site");
const sources = values.sources ? `${values.sources.replace(/\/$/, "")}/` : undefined;

try {
  const count = await buildSite({ folder, version, base, sources });
  console.log(`${relative(root, folder)}/${version}: ${count} pages, no broken link`);
  if (values.serve) {
    await serve(folder, base, Number(values.serve));
    console.log(`http://127.0.0.1:${values.serve}${base}`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
