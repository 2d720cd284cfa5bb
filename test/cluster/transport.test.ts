import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createKubeClient } from "../../src/cluster/client.ts";
import { loadKubeConfig } from "../../src/cluster/credentials.ts";
import { createTransport } from "../../src/cluster/transport.ts";
import type { RequestReport, Transport } from "../../src/cluster/transport.ts";
import { createMovedClock, driven } from "../support/clock.ts";
import type { MovedClock } from "../support/clock.ts";
import { configMaps } from "../../src/cluster/config-maps.ts";
import { kubeconfigOf } from "./support.ts";

let clock: MovedClock;
let server: Server;
let url: string;
let seen: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[];
let answer: (response: ServerResponse, request: IncomingMessage) => void;
let kubeconfig: string;
let transport: Transport;
let reports: RequestReport[];
let warnings: string[];

beforeEach(async () => {
  clock = createMovedClock();
  [seen, reports, warnings] = [[], [], []];
  answer = (response) => response.end("{}");
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      seen.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
      answer(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  kubeconfig = kubeconfigOf(url);
  transport = createTransport({
    config: () => loadKubeConfig({ text: kubeconfig }),
    clock,
    onRequest: (report) => reports.push(report),
    onWarning: (text) => warnings.push(text),
    random: () => 0.5,
  });
});

afterEach(async () => {
  await transport.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const drive = <T>(call: Promise<T>): Promise<T> => driven(clock, call);

const status = (code: number, message = "no", headers: Record<string, string> = {}) => {
  return (response: ServerResponse) =>
    response.writeHead(code, headers).end(JSON.stringify({ kind: "Status", code, reason: "Because", message }));
};

describe("a request", () => {
  it("with a large answer has a turn of the event loop alone, however many arrive together", async () => {
    const turns = vi.spyOn(clock, "turn");
    answer = (response) =>
      response.end(JSON.stringify({ kind: "Secret", metadata: {}, data: { a: "x".repeat(70_000) } }));
    const read = () => createKubeClient(transport).get(configMaps, { namespace: "n", name: "large" });
    await drive(Promise.all([read(), read(), read()]));
    expect(turns).toHaveBeenCalledTimes(3);
    answer = (response) => response.end(JSON.stringify({ kind: "Secret", metadata: {} }));
    await drive(read());
    expect(turns).toHaveBeenCalledTimes(3);
  });

  it("whose body waits for something lets other requests pass meanwhile", async () => {
    const client = createKubeClient(transport);
    const ref = { namespace: "n", name: "outer" };
    const beforeBody = async () => void (await client.patch(configMaps, { namespace: "n", name: "inner" }, { a: 1 }));
    await drive(client.patch(configMaps, ref, { b: 2 }, { beforeBody }));
    expect(seen.map(({ url: path, body }) => `${path.split("?")[0]?.split("/").at(-1)} ${body}`)).toEqual([
      'inner {"a":1}',
      'outer {"b":2}',
    ]);
  });

  it("carries path, query, headers and body as the API wants them", async () => {
    const client = createKubeClient(transport);
    await drive(
      client.patch(configMaps, { namespace: "n", name: "a" }, { data: { x: "1" } }, { subresource: "status" }),
    );
    expect(seen[0]).toMatchObject({
      method: "PATCH",
      url: "/api/v1/namespaces/n/configmaps/a/status?fieldManager=cloud-platform-operator&fieldValidation=Warn",
      body: '{"data":{"x":"1"}}',
      headers: { "content-type": "application/merge-patch+json", authorization: "Bearer t0" },
    });
    expect(reports).toEqual([
      { verb: "patch-status", resource: "configmaps", status: 200, durationMs: expect.any(Number) },
    ]);
  });

  it("keeps a path that the server's address has, as behind a gateway", async () => {
    kubeconfig = kubeconfigOf(`${url}/k8s/clusters/c-1/`);
    const behind = createTransport({ config: () => loadKubeConfig({ text: kubeconfig }), clock });
    await drive(createKubeClient(behind).raw("/version"));
    expect(seen[0]?.url).toBe("/k8s/clusters/c-1/version");
    await behind.close();
  });

  it("surfaces the server's warnings", async () => {
    answer = (response) => response.setHeader("warning", ['299 - "one, \\"two\\""', '299 - "three"']).end("{}");
    await drive(createKubeClient(transport).raw("/version"));
    expect(warnings).toEqual(['one, "two"', "three"]);
  });

  it("fails with the text, reason and Retry-After of the answer", async () => {
    answer = status(422, "spec.x: Invalid value", { "retry-after": "7" });
    const call = drive(createKubeClient(transport).create(configMaps, { metadata: { namespace: "n", name: "a" } }));
    await expect(call).rejects.toMatchObject({
      name: "KubeError",
      status: 422,
      reason: "Because",
      retryAfterMs: 7_000,
      message: "create configmaps: spec.x: Invalid value",
    });
  });

  it("fails when the answer is no JSON", async () => {
    answer = (response) => response.end("<html>");
    await expect(drive(createKubeClient(transport).raw("/version"))).rejects.toMatchObject({ reason: "InvalidAnswer" });
  });

  it("ends by the deadline that its client was given", async () => {
    answer = () => undefined;
    const started = clock.now();
    const client = createKubeClient(transport, { deadlineMs: 4_000 });
    await expect(drive(client.raw("/version"))).rejects.toMatchObject({ reason: "Timeout" });
    expect(clock.now() - started).toBeLessThanOrEqual(4_100);
  });

  it("ends by its deadline, and the next gets a fresh connection", async () => {
    answer = () => undefined;
    const started = clock.now();
    await expect(drive(createKubeClient(transport).raw("/version"))).rejects.toMatchObject({ reason: "Timeout" });
    expect(clock.now() - started).toBeLessThanOrEqual(30_100);
    expect(transport.connectionsOpened()).toBe(1);
    answer = (response) => response.end("{}");
    await drive(createKubeClient(transport).raw("/version"));
    expect(transport.connectionsOpened()).toBe(2);
  });
});

it("what is no object says nothing of one", async () => {
  const get = drive(createKubeClient(transport).get(configMaps, { namespace: "n", name: "a" }));
  await expect(get).rejects.toMatchObject({ reason: "InvalidAnswer" });
});

describe("repeating", () => {
  const ref = { namespace: "n", name: "a" };
  const reset = (response: ServerResponse) => void response.destroy();
  const client = () => createKubeClient(transport);

  it.each([
    { reason: "a read does no harm", call: () => client().get(configMaps, ref), answers: 3 },
    { reason: "nor a delete", call: () => client().delete(configMaps, ref), answers: 3 },
    { reason: "nor a patch of absolute values", call: () => client().patch(configMaps, ref, { data: {} }), answers: 3 },
    {
      reason: "a create may have been applied",
      call: () => client().create(configMaps, { metadata: ref }),
      answers: 1,
    },
    {
      reason: "a guarded patch would find its own version stale",
      call: () => client().patch(configMaps, ref, { metadata: { resourceVersion: "1" } }),
      answers: 1,
    },
  ])("after a lost connection: $reason", async ({ call, answers }) => {
    answer = reset;
    await expect(drive<unknown>(call())).rejects.toMatchObject({ reason: "ConnectionFailed", sent: true });
    expect(seen).toHaveLength(answers);
  });

  it.each([
    { reason: "too many requests pass by", answer: status(429), calls: 3 },
    { reason: "the server says when to come again", answer: status(503, "later", { "retry-after": "1" }), calls: 3 },
    { reason: "longer waits are the caller's", answer: status(429, "later", { "retry-after": "60" }), calls: 1 },
    { reason: "an error of the server need not pass by", answer: status(500), calls: 1 },
    { reason: "nor a refusal", answer: status(403), calls: 1 },
  ])("of a read: $reason", async ({ answer: each, calls }) => {
    answer = each;
    await expect(drive(client().get(configMaps, ref))).rejects.toThrow();
    expect(seen).toHaveLength(calls);
  });

  it("says that nothing was sent when there was no connection", async () => {
    const nowhere = createTransport({
      config: () => loadKubeConfig({ text: kubeconfigOf("http://127.0.0.1:1") }),
      clock,
    });
    const call = drive(createKubeClient(nowhere).create(configMaps, { metadata: ref }));
    await expect(call).rejects.toMatchObject({ sent: false, status: undefined });
    await nowhere.close();
  });
});

describe("credentials", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "credentials-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("are loaded anew after a 401, also for a create, which it did not apply", async () => {
    answer = (response, { headers }) =>
      headers.authorization === "Bearer new" ? response.end("{}") : status(401)(response);
    const ref = { namespace: "n", name: "a" };
    await drive(createKubeClient(transport).raw("/version")).catch(() => undefined);
    expect(seen).toHaveLength(1);
    kubeconfig = kubeconfigOf(url, "token: new");
    await drive(createKubeClient(transport).create(configMaps, { metadata: ref }));
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(["Bearer t0", "Bearer t0", "Bearer new"]);
  });

  it("get new connections when the CA's file changes", async () => {
    const ca = join(folder, "ca.crt");
    writeFileSync(ca, "one");
    kubeconfig = kubeconfigOf(url).replace("insecure", `certificate-authority: ${ca}, insecure`);
    const own = createTransport({ config: () => loadKubeConfig({ text: kubeconfig }), clock });
    const ask = () => drive(createKubeClient(own).raw("/version"));
    await ask();
    await clock.advance(5_000);
    await ask();
    expect(own.connectionsOpened()).toBe(1);
    writeFileSync(ca, "two");
    await clock.advance(5_000);
    await ask();
    expect(own.connectionsOpened()).toBe(2);
    await own.close();
  });

  it("come from a command where the kubeconfig names one", async () => {
    const script = join(folder, "token.mjs");
    writeFileSync(script, 'console.log(JSON.stringify({ status: { token: "from-exec" } }));');
    kubeconfig = kubeconfigOf(url, `exec: {command: "${process.execPath}", args: ["${script}"], apiVersion: v1}`);
    const own = createTransport({ config: () => loadKubeConfig({ text: kubeconfig }), clock });
    await createKubeClient(own).raw("/version");
    expect(seen[0]?.headers.authorization).toBe("Bearer from-exec");
    await own.close();
  });

  it("come from a token file, which is read again after a 401", async () => {
    const file = join(folder, "token");
    writeFileSync(file, "one\n");
    answer = (response, { headers }) =>
      headers.authorization === "Bearer two" ? response.end("{}") : status(401)(response);
    kubeconfig = kubeconfigOf(url, `tokenFile: ${file}`);
    await drive(createKubeClient(transport).raw("/version")).catch(() => undefined);
    writeFileSync(file, "two\n");
    await clock.advance(5_000);
    await drive(createKubeClient(transport).raw("/version"));
    expect(seen.at(-2)?.headers.authorization).toBe("Bearer one");
  });

  it("may be a name and a password", async () => {
    kubeconfig = kubeconfigOf(url, "username: me, password: p");
    const own = createTransport({ config: () => loadKubeConfig({ text: kubeconfig }), clock });
    await drive(createKubeClient(own).raw("/version"));
    expect(seen[0]?.headers.authorization).toBe(`Basic ${Buffer.from("me:p").toString("base64")}`);
    await own.close();
  });
});

describe("a stream", () => {
  const open = () => transport.stream({ path: "/api/v1/configmaps?watch=true", resource: "configmaps", signal });
  const { signal } = new AbortController();

  it("is given up when it does not begin within ten seconds", async () => {
    answer = () => undefined;
    const started = clock.now();
    await expect(drive(open())).rejects.toMatchObject({ reason: "Timeout" });
    expect(clock.now() - started).toBeLessThanOrEqual(10_100);
  });

  it("outlives every deadline once it has begun, and ends when it is abandoned", async () => {
    answer = (response) => response.write("first\n");
    const stream = await drive(open());
    const chunks = stream.chunks[Symbol.asyncIterator]();
    expect(String((await chunks.next()).value)).toBe("first\n");
    await clock.advance(120_000);
    stream.abandon();
    await expect(chunks.next()).rejects.toMatchObject({ reason: "Timeout" });
  });

  it("leaves requests their own connections", async () => {
    answer = (response, request) =>
      request.url?.includes("watch") === true ? response.write("\n") : response.end("{}");
    await Promise.all(Array.from({ length: 20 }, () => drive(open())));
    await expect(drive(createKubeClient(transport).raw("/version"))).resolves.toEqual({});
  });
});

it("asks four questions a second at most whether the server is back, however many wait", async () => {
  answer = status(500);
  const { signal } = new AbortController();
  const back = Promise.all(Array.from({ length: 60 }, () => transport.reachable(signal)));
  await clock.advance(10_000);
  expect(seen.length).toBeLessThanOrEqual(42);
  answer = (response) => response.end("ok");
  await drive(back);
  expect(seen.every((request) => request.url === "/readyz")).toBe(true);
});

it("takes a server that answers but is never ready for what it is after half a minute", async () => {
  answer = status(500);
  const started = clock.now();
  await drive(transport.reachable(new AbortController().signal));
  expect(clock.now() - started).toBeLessThan(33_000);
});

it("stops waiting for the server when told to", async () => {
  answer = status(500);
  const stop = new AbortController();
  const wait = transport.reachable(stop.signal);
  stop.abort(new Error("closed"));
  await expect(wait).rejects.toThrow("closed");
});

describe("a process whose lease has ended", () => {
  it("sends no change, nor one again that was refused before, while its lease and its reads go on", async () => {
    let leads = true;
    const fenced = createTransport({
      config: () => loadKubeConfig({ text: kubeconfig }),
      clock,
      random: () => 0.5,
      mayWrite: (resource) => leads || resource === "leases",
    });
    const client = createKubeClient(fenced);
    const ref = { namespace: "default", name: "one" };
    answer = (response) => {
      leads = false;
      response.writeHead(503, { "retry-after": "1" }).end("{}");
    };
    const again = drive(client.patch(configMaps, ref, { data: {} }));
    await expect(again).rejects.toMatchObject({ reason: "Aborted", sent: false });
    answer = (response) => response.end(JSON.stringify({ metadata: ref }));
    await expect(client.patch(configMaps, ref, { data: {} })).rejects.toMatchObject({ sent: false });
    await expect(client.delete(configMaps, ref)).rejects.toMatchObject({ sent: false });
    await client.get(configMaps, ref);
    await client.patch({ ...configMaps, plural: "leases" }, ref, {});
    expect(seen.map(({ method }) => method)).toEqual(["PATCH", "GET", "PATCH"]);
    await fenced.close();
  });
});
