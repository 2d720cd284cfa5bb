/** Fields of a CloudAccount that the core uses. The schema is in kinds/account/cloud-account.ts. */
import type { Condition } from "./status-schema.ts";

export interface AccountSpec {
  endpoint?: string | undefined;
  tokenSecretRef: { name: string; key?: string | undefined };
  sharing?: { namespaces: string[]; existing?: string[] | undefined; accountWide?: string[] | undefined } | undefined;
  expectedAccount?: string | undefined;
  reportObserved?: boolean | undefined;
  pollSeconds?: number | undefined;
}

/**
 * Identity of an account. `euuid` identifies the account, and is present if the token can read the account. `uid` identifies the
 * user of the token. The operator compares the identity when a user rotates the token.
 */
export interface Identity {
  euuid?: string | undefined;
  uid: number;
}

export interface AccountStatus {
  observedGeneration?: number;
  conditions?: Condition[];
  identity?: Identity;
  username?: string;
  restricted?: boolean;
  scopes?: string[];
  /** Address of the cloud API. */
  endpoint?: { url?: string; brandWord?: string };
  /** Global grants of a restricted user. */
  grants?: string[];
  features?: string[];
}
