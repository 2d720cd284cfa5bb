import { OPERATIONS } from "./registry.ts";

/** The routes outside the API that meet faults and are in the ledger, as their path is declared. */
export const UPLOAD = "/uploads/images/{number}";
export const OBJECT = "/objects/{cluster}/{bucket}/{name}";

/** What faults and the ledger call an operation: method and declared path, `POST /compute/instances/{computeId}/boot`. */
export function operationName(method: string, path: string): string {
  return `${method} ${path}`;
}

/** All of them, in the order of their paths. */
export function operationNames(): string[] {
  const api = OPERATIONS.map(({ method, path }) => operationName(method, path));
  const objects = ["GET", "HEAD", "PUT", "DELETE"].map((method) => operationName(method, OBJECT));
  return [...api, operationName("PUT", UPLOAD), ...objects].toSorted(byPath);
}

function byPath(a: string, b: string): number {
  return a.replace(/^\S+ /, "").localeCompare(b.replace(/^\S+ /, ""), "en");
}
