/** Finds the cloud API of a CloudAccount: from the options, or from the status that the operator writes. */
import type { AccountStatus } from "../../core/kind/account-spec.ts";
import { Failure } from "../failure.ts";
import type { Flags } from "../flags.ts";

export interface Endpoint {
  url: string;
  brandWord: string;
}

/**
 * Returns the address of the cloud API. `--endpoint` and `--brand-word` take precedence. Only the operator writes the status
 * of a CloudAccount, so a tenant cannot send the token of an account to another server. Throws `Failure`.
 */
export function endpointOf(flags: Pick<Flags, "endpoint" | "brandWord">, status: AccountStatus = {}): Endpoint {
  const { endpoint: url = status.endpoint?.url, brandWord = status.endpoint?.brandWord ?? "compute" } = flags;
  if (url !== undefined) return { url, brandWord };
  throw new Failure(
    "the address of the cloud API is not known, because the operator has not connected the CloudAccount yet. Add --endpoint and --brand-word",
  );
}
