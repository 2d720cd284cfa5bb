/** The API server's text about a Secret can quote the Secret: admission policies and webhooks choose that text. */
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createKubeClient } from "../../src/cluster/client.ts";
import { configMaps } from "../../src/cluster/config-maps.ts";
import { loadKubeConfig } from "../../src/cluster/credentials.ts";
import type { KubeError } from "../../src/cluster/errors.ts";
import { secrets } from "../../src/cluster/secrets.ts";
import { createTransport } from "../../src/cluster/transport.ts";
import type { Transport } from "../../src/cluster/transport.ts";
import type { KubeClient } from "../../src/cluster/types.ts";
import { createMovedClock, driven } from "../support/clock.ts";
import type { MovedClock } from "../support/clock.ts";
import { kubeconfigOf } from "./support.ts";

const plain = "token-of-acct-7f3a9c";
const encoded = Buffer.from(plain).toString("base64");
const ref = { namespace: "shop", name: "cloud-token" };

interface Response {
  code: number;
  body: string;
  headers?: Record<string, string>;
}

let clock: MovedClock;
let server: Server;
let transport: Transport;
let client: KubeClient;
let warnings: string[];
let response: Response;

beforeEach(async () => {
  clock = createMovedClock();
  warnings = [];
  server = createServer((request, answer) => {
    request.resume();
    request.on("end", () => answer.writeHead(response.code, response.headers).end(response.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const text = kubeconfigOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  transport = createTransport({
    config: () => loadKubeConfig({ text }),
    clock,
    onWarning: (warning) => warnings.push(warning),
  });
  client = createKubeClient(transport);
});

afterEach(async () => {
  await transport.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const secret = { metadata: ref, data: { token: encoded } };
const writes: Record<string, () => Promise<unknown>> = {
  create: () => client.create(secrets, secret),
  rehearsal: () => client.create(secrets, secret, { dryRun: true }),
  "patch with values": () => client.patch(secrets, ref, { data: { token: encoded } }),
  // The request does not contain the value: a policy quotes the stored Secret.
  "patch of a finalizer": () =>
    client.patch(secrets, ref, { metadata: { finalizers: ["cloudplatform.dev/finalizer"] } }),
  deletion: () => client.delete(secrets, ref),
  "review of a token": () =>
    client.create(
      { group: "authentication.k8s.io", version: "v1", plural: "tokenreviews", kind: "TokenReview", namespaced: false },
      { metadata: {}, spec: { token: plain } },
    ),
};

async function failure(call: Promise<unknown>): Promise<KubeError> {
  return driven(clock, call).then(
    () => Promise.reject(new Error("the call succeeded")),
    (error: unknown) => error as KubeError,
  );
}

function refusal(message: string, more: object = {}, code = 403): Response {
  return { code, body: JSON.stringify({ kind: "Status", code, reason: "Forbidden", message, ...more }) };
}

/** Shows an error with its causes and fields, like a log. */
const all = (error: KubeError): string => inspect(error, { depth: 10, showHidden: true });

/** Values in the forms in which a policy or a webhook quotes them. */
const quoted = `${encoded} ${plain} ${plain.toUpperCase()} ${Buffer.from(plain).toString("hex")} ${encodeURIComponent(encoded)}`;
const refusals: [name: string, response: Response, shown: RegExp][] = [
  [
    "a webhook",
    refusal(`admission webhook "labels.example.org" denied the request: ${quoted}`),
    /admission webhook "labels\.example\.org" denied the request/,
  ],
  [
    "a policy",
    refusal(
      `secrets "cloud-token" is forbidden: ValidatingAdmissionPolicy 'quoting' with binding 'all' denied request: ${quoted}`,
      { details: { causes: [{ reason: encoded, message: plain, field: plain }] } },
    ),
    /ValidatingAdmissionPolicy 'quoting' with binding 'all' denied request/,
  ],
  [
    "a webhook that fails",
    refusal(`Internal error occurred: failed calling webhook "labels.example.org": ${quoted}`, {}, 500),
    /failed calling webhook "labels\.example\.org"/,
  ],
  ["a webhook with its own reason", refusal(quoted, { reason: encoded }), /403/],
  ["a response that is no Status", { code: 502, body: `bad gateway for ${quoted}` }, /502/],
];

for (const [what, run] of Object.entries(writes)) {
  it.each(refusals)(`the error of a ${what} does not quote the Secret for %s, and names the cause`, async (...row) => {
    const [, refused, shown] = row;
    response = refused;
    const error = await failure(run());
    expect(error.message).toMatch(shown);
    expect(error.status).toBe(refused.code);
    for (const part of quoted.split(" ")) expect(all(error)).not.toContain(part);
  });
}

it("the error names the Secret, the HTTP status and the reason", async () => {
  response = refusal(`exceeded its limit: ${quoted}`);
  const { message } = await failure(client.patch(secrets, ref, {}));
  expect(message).toContain('patch secrets "cloud-token": ');
  expect(message).toContain("403 Forbidden");
});

it.each([
  ['User "system:serviceaccount:ops:operator" cannot patch resource "secrets" in API group "" in the namespace "shop"'],
  ["exceeded quota: small"],
  ["unable to create new content in namespace shop because it is being terminated"],
])("the error shows a refusal in the API server's own words: %s", async (words) => {
  response = refusal(`secrets "cloud-token" is forbidden: ${words}`);
  expect((await failure(client.create(secrets, secret))).message).toContain(words);
});

it("the error keeps the reasons that the operator acts on", async () => {
  response = refusal("", { reason: "AlreadyExists" }, 409);
  expect((await failure(client.create(secrets, secret))).alreadyExists).toBe(true);
  response = refusal("", { reason: "Conflict" }, 409);
  expect((await failure(client.patch(secrets, ref, {}))).conflict).toBe(true);
});

it("the error of a ConfigMap shows the whole text", async () => {
  response = refusal('admission webhook "labels.example.org" denied the request: label team is missing');
  expect((await failure(client.patch(configMaps, ref, {}))).message).toContain("label team is missing");
});

it("a warning about a Secret is reported without its text", async () => {
  const headers = { warning: `299 - "policy quotes ${encoded} and ${plain}"` };
  response = { code: 200, body: JSON.stringify(secret), headers };
  await driven(clock, client.create(secrets, secret));
  expect(warnings).toHaveLength(1);
  expect(warnings.join()).not.toContain(encoded);
  expect(warnings.join()).not.toContain(plain);
});

it("the error of a Secret that arrives incomplete does not quote the Secret", async () => {
  response = { code: 200, body: `${plain} ${encoded}` };
  const error = await failure(client.get(secrets, ref));
  expect(error.reason).toBe("InvalidAnswer");
  // A parser quotes a few characters on both sides of the fault.
  expect(all(error)).not.toContain(plain.slice(0, 5));
  expect(all(error)).not.toContain(encoded.slice(0, 6));
});
