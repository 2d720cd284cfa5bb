/** Writes dist/install.yaml: everything that `kubectl apply` needs for an installation, as kustomize builds it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureControlPlane } from "./control-plane/ensure.ts";
import { capture } from "./run/command.ts";
import { root } from "./run/places.ts";

const { kubectl } = await ensureControlPlane({ wanted: ["kubectl"] });
const { code, output } = await capture(kubectl, ["kustomize", "deploy/default"]);
if (code === 0) {
  mkdirSync(join(root, "dist"), { recursive: true });
  writeFileSync(join(root, "dist", "install.yaml"), output);
  console.log(`dist/install.yaml  ${output.split("\n---\n").length} objects`);
} else {
  console.error(output.trimEnd());
}
process.exitCode = code;
