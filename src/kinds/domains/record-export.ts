/** The part of an exported record that its fields do not contain. */
import type { JsonObject } from "../../api/types.ts";
import type { FindExported } from "../../core/kind/export-part.ts";
import { referenceFor } from "../networking/exported-refs.ts";

const forms = { A: ["Public", "Private"], AAAA: ["IPv6"] } as const;

/** Returns a reference to an exported object instead of its address. Removes the name of an SRV record, which the cloud API builds. */
export function recordExport({ type, target }: JsonObject, find: FindExported): JsonObject {
  if (type === "SRV") return { name: null };
  if ((type !== "A" && type !== "AAAA") || typeof target !== "string") return {};
  const ref = referenceFor(find, target, forms[type]);
  return ref ? { targetRef: ref, target: null } : {};
}
