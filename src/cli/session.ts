/** One run of the command line: terminal, and connections that open when a command needs them. */
import type { Clock } from "../queue/clock.ts";
import { openAccount } from "./account/open.ts";
import type { Account } from "./account/open.ts";
import { openCluster } from "./cluster.ts";
import type { Cluster } from "./cluster.ts";
import { writeFiles } from "./files.ts";
import type { Flags } from "./flags.ts";
import { createTerminal } from "./terminal.ts";
import type { Ambient, Terminal } from "./terminal.ts";

export interface Session {
  terminal: Terminal;
  clock: Clock;
  signal: AbortSignal;
  environment: Ambient["environment"];
  flags: Flags;
  /** Returns the connection to the cluster. Opens it at the first call. */
  cluster: () => Cluster;
  /** True if the command uses a cluster: always, except for a token file without an option of the cluster. */
  hasCluster: boolean;
  /** Returns the connection to the account of the cloud, which can only read. Opens it at the first call. */
  account: () => Promise<Account>;
  /** Returns the connection to the account of a CloudAccount, `namespace/name`. Opens it at the first call. */
  accountOf: (name: string) => Promise<Account>;
  /** Writes files; see `writeFiles`. The process does not end before the temporary files are removed. */
  write: (folder: string, files: ReadonlyMap<string, string>) => Promise<void>;
  close: () => Promise<void>;
}

/** `keep`: called with work that an interruption waits for. */
export function createSession(
  ambient: Ambient,
  clock: Clock,
  flags: Flags,
  keep: (work: Promise<unknown>) => void = () => undefined,
): Session {
  const opened: { cluster?: Cluster; account?: Promise<Account> } = {};
  const others = new Map<string, Promise<Account>>();
  const { tokenFile, kubeconfig, context, namespace, allNamespaces, account } = flags;
  const names = [kubeconfig, context, namespace, allNamespaces, account];
  const session: Session = {
    terminal: createTerminal(ambient),
    clock,
    signal: ambient.signal,
    environment: ambient.environment,
    flags,
    hasCluster: tokenFile === undefined || names.some((one) => one !== undefined),
    cluster: () => (opened.cluster ??= openCluster(flags, clock)),
    account: () => (opened.account ??= openAccount(session)),
    accountOf(name) {
      const { tokenFile: _, ...inCluster } = flags;
      const found = others.get(name) ?? openAccount({ ...session, flags: { ...inCluster, account: name } });
      others.set(name, found);
      return found;
    },
    write(folder, files) {
      const work = writeFiles(folder, files, ambient.signal);
      keep(work);
      return work;
    },
    async close() {
      for (const one of [...(opened.account ? [opened.account] : []), ...others.values()])
        await one.then(
          (account) => account.close(),
          () => undefined,
        );
      await opened.cluster?.close();
    },
  };
  return session;
}
