import type { KubeObject } from "../cluster/types.ts";
import { cloudAccount } from "../kinds/account/cloud-account.ts";
import { kinds, mirrors } from "../kinds/registry.ts";

const described = new Map([...kinds, ...mirrors, cloudAccount].map((kind) => [kind.kind, kind]));

/** Returns the status as the API server stores it by the definition of the kind, or the problem of the status. */
export function checkStatus({ kind, status }: KubeObject): { status: object } | { problem: string } {
  const checked = described.get(kind)?.status.safeParse(status);
  if (checked === undefined) return { status: status ?? {} };
  if (checked.success) return { status: checked.data };
  return { problem: checked.error.issues.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ") };
}
