/** What stands between operator and cloud, for a test that wants to hold or change what passes. */
import { createServer, request } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Exchange {
  target: string;
  from: IncomingMessage;
  to: ServerResponse;
}

export interface CloudProxy {
  url: string;
  close: () => Promise<void>;
}

/** Starts it on a free port of loopback; `target` is the URL of the cloud. Where `serve` throws, the connection ends. */
export async function startCloudProxy(
  target: string,
  serve: (exchange: Exchange) => Promise<void>,
): Promise<CloudProxy> {
  const server = createServer((from, to) => void serve({ target, from, to }).catch(() => to.destroy()));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends it on as it came; resolves with the cloud's response. */
export function forward(exchange: Exchange, body: Buffer): Promise<IncomingMessage> {
  const { target, from } = exchange;
  const { method, headers, url = "/" } = from;
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(url, target),
      { method, headers: { ...headers, host: new URL(target).host } },
      resolve,
    );
    sent.once("error", reject);
    sent.end(body);
  });
}

/** Answers as the cloud did. */
export function passOn(answer: IncomingMessage, to: ServerResponse): void {
  to.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.pipe(to);
}
