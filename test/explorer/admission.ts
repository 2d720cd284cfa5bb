/** What the API server refuses before the operator sees it: people can store only what the definitions allow. */
import type { KubeObject } from "../../src/cluster/types.ts";
import { cloudAccount } from "../../src/kinds/account/cloud-account.ts";
import { kinds } from "../../src/kinds/registry.ts";

const described = new Map([...kinds, cloudAccount].map((kind) => [kind.kind, kind]));

/** True where the definition of the kind lets the object have this spec. */
export function isAdmitted(kind: string, spec: unknown): boolean {
  return described.get(kind)?.spec.safeParse(spec).success ?? true;
}

/** The spec that a merge patch makes (RFC 7386). */
export function patchedSpec(
  { spec }: Pick<KubeObject, "spec">,
  change: Record<string, unknown>,
): Record<string, unknown> {
  const after: Record<string, unknown> = isRecord(spec) ? { ...spec } : {};
  for (const [field, value] of Object.entries(change)) {
    if (value === null) delete after[field];
    else after[field] = isRecord(value) ? patchedSpec({ spec: after[field] } as KubeObject, value) : value;
  }
  return after;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
