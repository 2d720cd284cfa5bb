/** Makes kube-apiserver, etcd, kube-controller-manager and kubectl available and prints where they are. */
import { ensureControlPlane } from "./control-plane/ensure.ts";

try {
  for (const [program, path] of Object.entries(await ensureControlPlane())) console.log(`${program} ${path}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
