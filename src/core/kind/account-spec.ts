/** What the core knows of a CloudAccount; its schema is in kinds/account/cloud-account.ts. */
import type { Condition } from "./status-schema.ts";

export interface AccountSpec {
  endpoint?: string | undefined;
  tokenSecretRef: { name: string; key?: string | undefined };
  sharing?: { namespaces: string[]; existing?: string[] | undefined; accountWide?: string[] | undefined } | undefined;
  expectedAccount?: string | undefined;
  reportObserved?: boolean | undefined;
  sweepSeconds?: number | undefined;
}

/** Who the account is, so that a rotated token of another account is noticed: `euuid` where the token may read it, else the user's `uid`. */
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
  /** Global grants that a restricted user has. */
  grants?: string[];
  capabilities?: string[];
}
