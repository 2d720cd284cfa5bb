/** The npm package of the command line, and its manifest for krew, the package manager of kubectl. */
import { createHash } from "node:crypto";
import { stringify } from "yaml";
import { manifestOfProject, npmPackage } from "./npm-package.ts";

export const cliPackageName = "cloudplatform";

const summary = "Moves cloud accounts into Kubernetes, and explains what the operator does.";

/** Makes in `folder` the package that `npx cloudplatform` runs. The package also has the name of a plugin of kubectl. */
export function cliPackage(folder: string): Promise<void> {
  return npmPackage(folder, {
    name: cliPackageName,
    description: summary,
    file: "cloudplatform.mjs",
    bins: [cliPackageName, `kubectl-${cliPackageName}`],
    guides: { "README.md": "move-from-a-hand-made-account.md" },
  });
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
