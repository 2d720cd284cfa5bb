/** Values of a database that an export writes, and that no comparison uses. */
import type { JsonObject } from "../../api/types.ts";
import type { FindExported } from "../../core/kind/export-part.ts";
import { referencesAmong } from "../networking/exported-refs.ts";

/** Returns the engine with its current version. Only a creation uses the value. */
export function engineOf({ version }: { version?: string | null | undefined }): string | undefined {
  return version ? `mysql/${version}` : undefined;
}

/** Returns the addresses that may connect, with references to exported objects. */
export function allowedOf({ allowList = [] }: JsonObject, find: FindExported): JsonObject {
  const { refs, others } = referencesAmong(find, allowList as string[], 200);
  return refs.length > 0 ? { allowList: others, allowRefs: refs } : {};
}
