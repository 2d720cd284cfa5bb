import type { LedgerEntry } from "../../../src/simulator/server/ledger/ledger.ts";
import type { Simulator } from "../../../src/simulator/simulator.ts";

/** One account of the cloud: the token of the CloudAccount, and a user who works without the operator. */
export interface Cloud {
  /** Name of the account in the simulator, for `control.rows(table, account)`. */
  account: string;
  /** The token in the Secret of the CloudAccount. */
  token: string;
  /** Sends a request without the operator. Throws for a refusal. */
  byHand: (method: string, path: string, body?: object) => Promise<Record<string, unknown>>;
  rows: (table: string) => Record<string, unknown>[];
  /** Mutating requests of the operator, in the order of arrival. */
  changes: (sinceId?: number) => LedgerEntry[];
  /** The mutating requests with this text in the path or the body. */
  naming: (text: string) => LedgerEntry[];
  /** ID of the newest ledger entry, for `changes`. */
  mark: () => number;
}

const handLabel = "by hand";

/** Adds an account with an unrestricted user and two tokens of the user. */
export function addCloudAccount({ control, url }: Simulator, account: string): Cloud {
  const [token, hand] = [`token-of-${account}`, `hand-token-of-${account}`];
  const username = `user-of-${account}`;
  control.addAccount({ id: account });
  control.addUser(account, { username });
  control.addToken({ token, username, account, label: "operator" });
  control.addToken({ token: hand, username, account, label: handLabel });
  const changes = (sinceId = 0): LedgerEntry[] =>
    control.ledger({ account, mutating: true, sinceId }).filter((entry) => entry.token !== handLabel);
  return {
    account,
    token,
    async byHand(method, path, body) {
      const response = await fetch(`${url}/v4${path}`, {
        method,
        headers: { authorization: `Bearer ${hand}`, "content-type": "application/json" },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return JSON.parse(text) as Record<string, unknown>;
    },
    rows: (table) => control.rows(table, account),
    changes,
    naming: (text) => changes().filter(({ path, body }) => path.includes(text) || body.includes(text)),
    mark: () => control.ledger({ account, last: 1 }).at(-1)?.id ?? 0,
  };
}

/** Shows ledger entries in an assertion's message. */
export function lines(entries: LedgerEntry[]): string[] {
  return entries.map(({ method, path, body, status }) => `${method} ${path} ${status} ${body}`);
}
