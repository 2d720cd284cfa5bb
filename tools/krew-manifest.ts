/** Writes dist/krew.yaml for the packed command line: node tools/krew-manifest.ts ARCHIVE URL. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { krewManifest } from "./bundle/cli-package.ts";
import { root } from "./run/places.ts";

const [archive = "", url = ""] = process.argv.slice(2);
writeFileSync(join(root, "dist", "krew.yaml"), krewManifest(url, readFileSync(archive)));
