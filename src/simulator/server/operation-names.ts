import type { Mount } from "./http/mount.ts";
import type { Operation } from "./operation.ts";

/** Returns the name of an operation in faults and the ledger, such as `POST /compute/instances/{computeId}/boot`. */
export function operationName(method: string, path: string): string {
  return `${method} ${path}`;
}

/** Returns the names of all operations, sorted by path. */
export function operationNames(operations: readonly Operation[], mounts: readonly Mount[]): string[] {
  const api = operations.map(({ method, path }) => operationName(method, path));
  return [...api, ...mounts.flatMap((mount) => mount.operations)].toSorted(byPath);
}

function byPath(a: string, b: string): number {
  return a.replace(/^\S+ /, "").localeCompare(b.replace(/^\S+ /, ""), "en");
}
