/** What the API server serves for a kind. */
import type { Kind } from "../kind/owned.ts";
import type { Since } from "./fresh.ts";

export interface Definition {
  /** Undefined: the operator may not read the definition. */
  isDeleted: boolean | undefined;
  /** Fields that hold or protect an object, and that the definition does not have. */
  missing: readonly string[];
}

/** Reads definitions. `read` throws `KubeError`. */
export interface Definitions {
  read: (kind: Kind, since: Since) => Promise<Definition>;
}
