import { expect, test } from "vitest";
import { isSecretField } from "../../../../src/simulator/server/page/redacted.ts";
import { CERTIFICATE, PRIVATE_KEY } from "../../objectstorage/certificate.ts";
import { DEBIAN, running } from "../../running.ts";
import type { Running } from "../../running.ts";

/** Returns the page with the given query, without the attributes of its tags. */
async function pageOf(simulator: Running, query = ""): Promise<string> {
  const credentials = Buffer.from(`me:${simulator.controlToken}`).toString("base64");
  const answer = await fetch(`${simulator.url}/_simulator/${query}`, {
    headers: { Authorization: `Basic ${credentials}` },
  });
  return answer.text();
}

/** Request fields whose name sounds secret, and whether their values are. */
const NAMES: Readonly<Record<string, "secret" | "public">> = {
  authorized_keys: "public",
  certificate: "public",
  metadata: "public",
  otp_code: "secret",
  password: "secret",
  private_key: "secret",
  response: "secret",
  root_pass: "secret",
  ssh_key: "public",
  stackscript_data: "secret",
  user_data: "secret",
};

test("each request field whose name sounds secret is reviewed", async () => {
  const simulator = await running();
  const document = await fetch(`${simulator.url}/openapi.json`).then((answer) => answer.json());
  const { paths } = document as { paths: Record<string, Record<string, { requestBody?: unknown }>> };
  const bodies = Object.values(paths).flatMap((path) => Object.values(path).map(({ requestBody }) => requestBody));
  const sounding = /pass|secret|token|key|otp|cert|data$|response|credential/;
  const found = [...new Set(bodies.flatMap(propertiesIn))].filter((name) => sounding.test(name));
  const judged = found.map((name) => [name, isSecretField(name) ? "secret" : "public"] as const);
  expect(Object.fromEntries(judged)).toEqual(NAMES);
});

test("the page shows requests, responses and rows without secrets", async () => {
  const simulator = await running();
  const user_data = Buffer.from("#cloud-config secret-data").toString("base64");
  const machine = {
    ...DEBIAN,
    region: "us-iad",
    image: "compute/ubuntu22.04",
    label: "web-1",
    metadata: { user_data },
  };
  await simulator.call("POST", "/compute/instances", machine);
  await simulator.call("POST", "/compute/instances", { ...DEBIAN, label: "web-2" });
  const { access_key, secret_key } = await simulator.ok("POST", "/object-storage/keys", { label: "key-1" });
  const questions = [1, 2, 3].map((question_id) => ({ question_id, response: `answer-${question_id}` }));
  await simulator.ok("POST", "/profile/security-questions", { security_questions: questions });
  const bucket = { label: "media.example.com", cluster: "us-east-1" };
  await simulator.ok("POST", "/object-storage/buckets", bucket);
  const path = "/object-storage/buckets/us-east-1/media.example.com";
  await simulator.call("POST", `${path}/ssl`, { certificate: CERTIFICATE, private_key: PRIVATE_KEY });
  const signed = await simulator.ok("POST", `${path}/object-url`, { method: "GET", name: "a.txt" });
  const data = { label: "data", engine: "mysql/8.0.35", region: "us-east", type: "g6-nanode-1" };
  const { id } = await simulator.ok("POST", "/databases/mysql/instances", data);
  simulator.control.clock.advance(3_600_000);
  const { password } = await simulator.ok("GET", `/databases/mysql/instances/${String(id)}/credentials`);
  const rows = ["instance", "disk", "database", "bucket"].flatMap((kind) =>
    simulator.control.rows(kind).map((row) => `?kind=${kind}&id=${encodeURIComponent(String(row["id"]))}`),
  );
  const shown = (await Promise.all(rows.map((query) => pageOf(simulator, query)))).join("\n");
  for (const public_ of ["web-1", "key-1", "media.example.com", String(access_key), "Change instance"])
    expect(shown).toContain(public_);
  const secrets = [DEBIAN.root_pass, user_data, secret_key, "answer-1", password, "demo-token", simulator.controlToken];
  const signature = new URL(String(signed["url"])).searchParams.values();
  const body = PRIVATE_KEY.split("\n")[1];
  for (const secret of [...secrets, ...[...signature].filter((value) => value.length > 12), body])
    expect(shown.includes(String(secret)), String(secret)).toBe(false);
});

test("a body that is not JSON is not shown", async () => {
  const simulator = await running();
  await fetch(`${simulator.url}/v4/compute/instances`, {
    method: "POST",
    headers: { Authorization: "Bearer demo-token", "Content-Type": "application/json" },
    body: '{"root_pass": "correct horse battery"',
  });
  const page = await pageOf(simulator);
  expect(page).toContain("characters that are not JSON");
  expect(page).not.toContain("correct horse");
});

/** The names of all properties in a JSON schema. */
function propertiesIn(schema: unknown): string[] {
  if (schema === null || typeof schema !== "object") return [];
  const own = "properties" in schema && schema.properties ? Object.keys(schema.properties) : [];
  return [...own, ...Object.values(schema).flatMap(propertiesIn)];
}
