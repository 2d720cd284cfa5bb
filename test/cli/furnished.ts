/** Furnishes an account by hand, as a user without the operator does: one of everything that an export covers, with awkward names. */
import { expect } from "vitest";
import { firstPair } from "../../src/kinds/objectstorage/certificate-examples.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";

type Row = Record<string, unknown> & { id: number };
type Call = (method: string, path: string, body?: object) => Promise<Row>;

/** A value that must not appear in any output. */
export const canary = "Canary-9f2c-never-shown";

/** Returns a function that sends a request with the token of the account. */
export function callerOf({ url, token }: Pick<Simulator, "url" | "token">): Call {
  return async (method, path, body) => {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(`${url}/v4${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    expect(answer.status, `${method} ${path}: ${text}`).toBe(200);
    return JSON.parse(text) as Row;
  };
}

/** Creates the cloud objects. Resolves when none is in transition. */
export async function furnishAccount(simulator: Simulator): Promise<void> {
  const call = callerOf(simulator);
  const region = "us-east";
  const first = { region, type: "g6-nanode-1", label: "web", image: "compute/debian12" };
  const web = await call("POST", "/compute/instances", { ...first, root_pass: canary, tags: ["prod", "Straße 1"] });
  const twin = await call("POST", "/compute/instances", { region, type: "g6-standard-1", label: "WEB" });
  await call("POST", "/compute/instances", { region, type: "g6-standard-1", label: "web-1002" });
  const [address = ""] = web["ipv4"] as string[];
  await running(call, web.id);
  await objectStorage(call);
  await dns(call, address);
  await network(call, { web: web.id, twin: twin.id, address });
  await call("POST", "/profile/sshkeys", { label: "Ada's laptop / 日本", ssh_key: publicKey });
  await call("POST", "/tags", { label: "Team A & B" });
  const pair = { region, type: "g6-nanode-1" };
  const database = await call("POST", "/databases/mysql/instances", {
    ...pair,
    label: "orders_db",
    engine: "mysql/8.0.30",
    allow_list: [`${address}/32`, "198.51.100.0/24"],
  });
  const { data: disks } = (await call("GET", `/compute/instances/${web.id}/disks`)) as unknown as { data: Row[] };
  await call("POST", "/images", { disk_id: disks[0]?.id, label: "Golden: 2026" });
  await call("POST", `/account/betas`, { id: "fast-disks" });
  await settled(call);
  await call("POST", `/databases/mysql/instances/${database.id}/backups`, { label: "before-move", target: "primary" });
  const { "tls.crt": certificate, "tls.key": key } = firstPair;
  await call("POST", "/object-storage/buckets/us-east-1/plain/ssl", { certificate, private_key: key });
  await settled(call);
}

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";

/** Adds cloud objects with secrets. Returns all secrets of the account. */
export async function addCanaries(simulator: Simulator): Promise<string[]> {
  const call = callerOf(simulator);
  const own = (name: string): string => `${canary}-${name}`;
  const { id } = await call("POST", "/compute/instances", {
    region: "us-east",
    type: "g6-standard-1",
    label: "secretive",
    image: "compute/debian12",
    root_pass: own("root"),
    metadata: { user_data: Buffer.from(own("user-data")).toString("base64") },
  });
  await call("POST", "/compute/instances", { region: "us-east", type: "g6-standard-1", label: "empty-one" });
  await running(call, id);
  const disk = { label: "more", size: 3_000, image: "compute/debian12", root_pass: own("disk") };
  await call("POST", `/compute/instances/${id + 1}/disks`, disk);
  const key = (await call("POST", "/object-storage/keys", { label: "secretive" })) as unknown as Record<string, string>;
  const upload = { label: "uploaded", region: "us-east" };
  const { upload_to: url } = (await call("POST", "/images/upload", upload)) as unknown as { upload_to: string };
  const questions = {
    security_questions: [1, 2, 3].map((one) => ({ question_id: one, response: `canary-answer-${one}` })),
  };
  await call("POST", "/profile/security-questions", questions);
  const { data: databases } = (await call("GET", "/databases/mysql/instances")) as unknown as { data: Row[] };
  const path = `/databases/mysql/instances/${databases[0]?.id}/credentials`;
  const { password } = (await call("GET", path)) as unknown as { password: string };
  const [, pem = ""] = (firstPair["tls.key"] ?? "").split("\n");
  const named = ["root", "user-data", "disk"].map(own);
  const answers = questions.security_questions.map(({ response }) => response);
  return [...named, ...answers, canary, key["secret_key"] ?? "", url, password, pem, simulator.token];
}

async function objectStorage(call: Call): Promise<void> {
  await call("POST", "/object-storage/buckets", { label: "media.example", cluster: "us-east-1", acl: "public-read" });
  await call("POST", "/object-storage/buckets", { label: "plain", cluster: "us-east-1" });
  const access = { cluster: "us-east-1", bucket_name: "plain", permissions: "read_write" };
  await call("POST", "/object-storage/keys", { label: "CI_key", bucket_access: [access] });
  await call("POST", "/object-storage/keys", { label: "all" });
}

async function dns(call: Call, address: string): Promise<void> {
  const zone = { type: "master", soa_email: "admin@example.org" };
  const { id } = await call("POST", "/domains", { ...zone, domain: "example.org", ttl_sec: 300, description: "Main" });
  await call("POST", "/domains", { domain: "mirror.example.net", type: "slave", master_ips: ["192.0.2.53"] });
  const records = [
    { type: "A", name: "www", target: address },
    { type: "A", name: "", target: "192.0.2.80", ttl_sec: 3600 },
    { type: "A", name: "", target: "192.0.2.81" },
    { type: "AAAA", name: "v6", target: "2001:db8::1" },
    { type: "MX", name: "", target: "mail.example.net", priority: 10 },
    { type: "TXT", name: "", target: 'v=spf1 "quoted" -all' },
    { type: "CNAME", name: "shop", target: "www.example.org" },
    { type: "SRV", service: "sip", protocol: "tcp", target: "sip.example.org", priority: 1, weight: 2, port: 5060 },
    { type: "CAA", name: "", target: "letsencrypt.org", tag: "issue" },
    { type: "NS", name: "sub", target: "ns1.example.net" },
  ];
  for (const record of records) await call("POST", `/domains/${id}/records`, record);
}

interface Instances {
  web: number;
  twin: number;
  address: string;
}

async function network(call: Call, { web, twin, address }: Instances): Promise<void> {
  const second = (await call("POST", `/compute/instances/${web}/ips`, { type: "ipv4", public: true })) as unknown as {
    address: string;
  };
  await call("POST", "/networking/ipv6/ranges", { compute_id: web, prefix_length: 64 });
  await call("PUT", `/networking/ips/${address}`, { rdns: `${address}.nip.io` });
  await call("POST", "/networking/ipv4/share", { compute_id: twin, ips: [second.address] });
  const from = { ipv4: [`${second.address}/32`, "198.51.100.0/24"], ipv6: ["2001:db8::/32"] };
  const accept = { action: "ACCEPT", protocol: "TCP", ports: "22, 80-90", addresses: from, label: "ssh-in" };
  const ping = { action: "ACCEPT", protocol: "ICMP", addresses: { ipv4: ["0.0.0.0/0"] } };
  await call("POST", "/networking/firewalls", {
    label: "edge_fw",
    rules: { inbound_policy: "DROP", outbound_policy: "ACCEPT", inbound: [accept, ping], outbound: [] },
    devices: { computes: [web, twin] },
    tags: ["prod"],
  });
}

async function running(call: Call, id: number): Promise<void> {
  await expect.poll(async () => (await call("GET", `/compute/instances/${id}`))["status"]).toBe("running");
}

/** Waits until no cloud object is in transition. */
async function settled(call: Call): Promise<void> {
  const states = async (): Promise<unknown[]> => {
    const paths = ["/compute/instances", "/databases/mysql/instances", "/images"];
    const lists = await Promise.all(paths.map((path) => call("GET", `${path}?page_size=500`)));
    return lists.flatMap(({ data }) => (data as Row[]).map(({ status }) => status));
  };
  const resting = new Set<unknown>(["running", "offline", "active", "available"]);
  await expect
    .poll(async () => (await states()).filter((state) => !resting.has(state)), { timeout: 30_000 })
    .toEqual([]);
}
