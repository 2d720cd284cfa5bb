/** Accounts for tests of plans: a simulator in memory, filled by requests of the API. */
import { createCloudClient } from "../../src/api/client.ts";
import type { CloudClient, JsonObject } from "../../src/api/types.ts";
import { createRunClock } from "../../src/twin/clock.ts";
import type { RunClock } from "../../src/twin/clock.ts";
import { createCopyDispatcher } from "../../src/twin/copy-dispatcher.ts";
import type { CopyDispatcher } from "../../src/twin/copy-dispatcher.ts";
import type { AccountReads } from "../../src/twin/read-account.ts";
import { openCopy } from "../../src/simulator/simulator.ts";
import type { CopiedAccount } from "../../src/simulator/simulator.ts";

export const start = new Date("2026-06-01T00:00:00Z");
const url = "http://account.invalid";
const token = "token-of-the-account";

export interface TestAccount {
  clock: RunClock;
  client: CloudClient;
  copy: CopiedAccount;
  sending: CopyDispatcher;
  /** Sends a request and waits until its job ends. */
  send: (method: "POST" | "PUT" | "DELETE", path: string, body?: JsonObject) => Promise<JsonObject>;
}

export const emptyAccount: AccountReads = { reads: [], scopes: "*", failed: [] };

/** Opens an account with the rows of the reads. */
export async function openAccount({ reads, scopes }: AccountReads = emptyAccount): Promise<TestAccount> {
  const clock = createRunClock(start);
  const copy = await openCopy({ clock, reads, scopes, token, url, timeScale: 60, newIdsFrom: 1_001 });
  const sending = createCopyDispatcher({ copy, clock, url, token });
  const client = createCloudClient({
    baseUrl: url,
    token: () => token,
    brandWord: "compute",
    clock,
    requestsInTwoMinutes: 1_000_000,
    dispatcher: sending.dispatcher,
  });
  return {
    clock,
    client,
    copy,
    sending,
    async send(method, path, body) {
      const answer = await client.send(method, path, body);
      for (let waited = 0; copy.isBusy(3_600_000) && waited < 100; waited += 1) await clock.step(clock.now() + 60_000);
      return answer as JsonObject;
    },
  };
}

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJqVrbwdPYIDCLQPwVHJ0pqGmhrDFtsUPpx4oyBTVPqH ada@example.org";

/** Fills an account with rows of every collection that the API can create. */
export async function fill({ send, client }: TestAccount, size = 1): Promise<void> {
  await client.send("PUT", "/profile", { email: "ada@example.org" });
  for (let n = 0; n < size; n += 1) {
    await send("POST", "/profile/sshkeys", { label: `laptop-${n}`, ssh_key: publicKey });
    const instance = await send("POST", "/compute/instances", {
      region: "us-east",
      type: "g6-standard-1",
      label: `web-${n}`,
      image: "compute/debian12",
      root_pass: "Correct-horse-battery-1!",
      tags: ["web", `n-${n}`],
      backups_enabled: n % 2 === 0,
      private_ip: n % 3 === 0,
    });
    const wall = await send("POST", "/networking/firewalls", {
      label: `wall-${n}`,
      rules: { inbound_policy: "DROP", outbound_policy: "ACCEPT", inbound: [], outbound: [] },
      devices: { computes: [instance["id"] as number] },
      tags: ["web"],
    });
    await send("PUT", `/networking/firewalls/${wall["id"] as number}/rules`, {
      inbound_policy: "DROP",
      outbound_policy: "ACCEPT",
      inbound: [{ action: "ACCEPT", protocol: "TCP", ports: "22", addresses: { ipv4: ["192.0.2.0/24"] } }],
      outbound: [],
    });
    const domain = await send("POST", "/domains", {
      domain: `example-${n}.org`,
      type: "master",
      soa_email: "ada@example.org",
    });
    await send("POST", `/domains/${domain["id"] as number}/records`, {
      type: "A",
      name: "www",
      target: "192.0.2.1",
    });
    await send("POST", "/object-storage/buckets", { label: `bucket-${n}`, cluster: "us-east-1", cors_enabled: true });
    await send("POST", "/object-storage/keys", { label: `key-${n}` });
    await send("POST", "/databases/mysql/instances", {
      label: `db-${n}`,
      engine: "mysql/8.0.30",
      region: "us-east",
      type: "g6-standard-1",
      allow_list: ["192.0.2.0/24"],
    });
  }
}
