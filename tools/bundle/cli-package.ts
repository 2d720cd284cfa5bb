/** The npm package of the command line, and its manifest for krew, the package manager of kubectl. */
import { createHash } from "node:crypto";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { root } from "../run/places.ts";
import { bundle, programs } from "./bundle.ts";

export const cliPackageName = "cloudplatform";

const bundleFile = "cloudplatform.mjs";
const summary = "Moves cloud accounts into Kubernetes, and explains what the operator does.";

/**
 * Makes in `folder` the package that `npx cloudplatform` runs: one bundle without dependencies, and a first file that any Node
 * understands, which says which Node is wanted. The package also has the name of a plugin of kubectl.
 */
export async function cliPackage(folder: string): Promise<void> {
  const { version, license, type, engines } = manifestOfProject();
  await bundle(
    folder,
    programs.filter(({ file }) => file === bundleFile),
  );
  rmSync(join(folder, `${bundleFile}.map`));
  const bin = { [cliPackageName]: "start.mjs", [`kubectl-${cliPackageName}`]: "start.mjs" };
  const own = { name: cliPackageName, version, description: summary, license, type, engines, bin };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(own, null, 2)}\n`);
  writeFileSync(join(folder, "start.mjs"), start, { mode: 0o755 });
  copyFileSync(join(root, "docs", "move-from-a-hand-made-account.md"), join(folder, "README.md"));
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
}

/** Returns the manifest for krew. `url`: address of the packed package, whose bytes are `archive`. */
export function krewManifest(url: string, archive: Uint8Array): string {
  const sha256 = createHash("sha256").update(archive).digest("hex");
  const files = [{ from: "package/*", to: "." }];
  // A plugin of krew is one file; the package needs Node 24 on the machine.
  const platforms = ["linux", "darwin"].map((os) => ({
    selector: { matchLabels: { os } },
    uri: url,
    sha256,
    files,
    bin: "start.mjs",
  }));
  return stringify({
    apiVersion: "krew.googlecontainertools.github.com/v1alpha2",
    kind: "Plugin",
    metadata: { name: cliPackageName },
    spec: {
      version: `v${String(manifestOfProject()["version"])}`,
      homepage: url.split("/releases/")[0],
      shortDescription: "Move cloud accounts into custom resources",
      description: summary,
      caveats: "The plugin needs Node 24 or newer.",
      platforms,
    },
  });
}

function manifestOfProject(): Record<string, unknown> {
  return JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Record<string, unknown>;
}

/** An old Node fails over the bundle, so the file loads the bundle only after the question. */
const start = `#!/usr/bin/env node
if (Number(process.versions.node.split(".")[0]) >= 24) {
  import("./${bundleFile}");
} else {
  console.error("${cliPackageName}: needs Node 24 or newer, and this is Node " + process.versions.node);
  process.exitCode = 1;
}
`;
