import { simulatorNodeFlags } from "./bundle.ts";
import { npmPackage } from "./npm-package.ts";

export const packageName = "cloud-platform-simulator";

/** Makes in `folder` the package that `npx cloud-platform-simulator` runs. */
export function simulatorPackage(folder: string): Promise<void> {
  return npmPackage(folder, {
    name: packageName,
    description:
      "The HTTP API of a cloud on your machine, complete, to try its clients on without an account or a bill",
    file: "simulator.mjs",
    bins: [packageName],
    flags: simulatorNodeFlags,
    guides: { "README.md": "simulator.md", "simulator-reference.md": "simulator-reference.md" },
  });
}
