import { expect, test } from "vitest";
import type { Interaction } from "./interactions.ts";
import { replay } from "./replay.ts";
import { unreadableRows } from "./rows.ts";
import { judgeReplay, readReasons } from "./verdict.ts";

const KEY = { id: 4711, label: "laptop", ssh_key: "ssh-ed25519 AAAA", created: "2024-01-02T03:04:05" };

function recorded(operation: string, path: string, more: Partial<Interaction> & { row?: unknown }): Interaction {
  const { row, ...rest } = more;
  const method = operation.split(" ")[0] ?? "";
  const answer = row === undefined ? "" : JSON.stringify(row);
  return { operation, method, path: `/v4${path}`, query: "", filter: null, body: "", status: 200, answer, ...rest };
}

const CREATE = recorded("POST /profile/sshkeys", "/profile/sshkeys", {
  body: JSON.stringify({ label: KEY.label, ssh_key: KEY.ssh_key }),
  row: KEY,
});
const READ = recorded("GET /profile/sshkeys/{sshKeyId}", "/profile/sshkeys/4711", { row: KEY });

const differencesOf = async (...interactions: Interaction[]): Promise<string[]> => {
  const compared = await replay([{ name: "one", interactions }], "acme");
  return compared.flatMap(({ differences }) => differences);
};

test("a replay uses the simulator's ID where the recording has its own", async () => {
  expect(await differencesOf(CREATE, READ)).toEqual([]);
});

test.each([
  {
    row: { ...KEY, fingerprint: "x" },
    difference: "data[].fingerprint is missing",
    why: "a field that only the recording has",
  },
  { row: { ...KEY, created: 5 }, difference: "data[].created is text, recorded number", why: "another type" },
  {
    row: { ...KEY, label: null },
    difference: "data[].label is text, recorded null",
    why: "null in the recording alone",
  },
])("the replay reports $why", async ({ row, difference }) => {
  expect(await differencesOf(CREATE, { ...READ, answer: JSON.stringify(row) })).toEqual([difference]);
});

test("the replay reports another status with the simulator's reason", async () => {
  const missing = recorded("GET /profile/sshkeys/{sshKeyId}", "/profile/sshkeys/12", { row: KEY });
  expect(await differencesOf(missing)).toEqual(["status 404, recorded 200: Not found"]);
});

test("the replay reports another value of an enumeration", async () => {
  const domain = { domain: "example.org", type: "master", soa_email: "a@example.org" };
  const create = recorded("POST /domains", "/domains", {
    body: JSON.stringify(domain),
    row: { ...domain, type: "slave" },
  });
  expect(await differencesOf(create)).toContain('data[].type is "master", recorded "slave"');
});

test("the replay waits until a row in transition has the recorded status", async () => {
  const body = JSON.stringify({ region: "us-east", type: "g6-nanode-1", label: "machine" });
  const create = recorded("POST /compute/instances", "/acme/instances", {
    body,
    row: { id: 5001, status: "provisioning" },
  });
  const read = recorded("GET /compute/instances/{computeId}", "/acme/instances/5001", {
    row: { id: 5001, status: "offline" },
  });
  const found = await differencesOf(create, read);
  expect(found.filter((each) => each.includes("status"))).toEqual([]);
});

test("a difference needs a reason, and a reason needs a difference", async () => {
  const compared = await replay(
    [{ name: "one", interactions: [CREATE, { ...READ, answer: '{"id":4711,"extra":1}' }] }],
    "acme",
  );
  const reasons = readReasons("GET /profile/sshkeys/{sshKeyId}\tdata[].extra is missing\tnewer\n");
  const accepted = judgeReplay(compared, { documented: reasons, reasons: [] });
  expect(accepted).toMatchObject({ good: true });
  expect(judgeReplay(compared, { documented: [], reasons: [] }).lines.join("\n")).toContain("DIFFERS");
  const stale = judgeReplay([], { documented: reasons, reasons: [] });
  expect(stale).toMatchObject({ good: false });
  expect(stale.lines.join("\n")).toContain("no longer differs");
});

test("a recording in which too many interactions need a reason is not accepted", async () => {
  const compared = await replay(
    [{ name: "one", interactions: [CREATE, { ...READ, answer: '{"id":4711,"extra":1}' }] }],
    "acme",
  );
  const reasons = readReasons("GET /profile/sshkeys/{sshKeyId}\tdata[].extra is missing\tnewer\n");
  expect(judgeReplay(compared, { documented: [], reasons })).toMatchObject({ good: false });
});

test("a recorded row that a kind cannot read is named", () => {
  const row = recorded("GET /domains/{domainId}", "/domains/1", { row: { id: "x", domain: "example.org" } });
  expect(unreadableRows([{ name: "one", interactions: [row] }], "acme")).toMatchObject([
    { recording: "one", kind: "Domain" },
  ]);
});
