import { createServer, request } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** A request that is held: `arrive` lets it reach the cloud, whoever still waits for its response. */
export interface Held {
  arrive: () => Promise<void>;
}

/** Stands between operator and cloud, and holds requests, so that a moment between two of them can be met exactly. */
export interface HoldingProxy {
  url: string;
  /** The next request `METHOD path` that matches; `unsent`: before it reaches the cloud, `answered`: its response. */
  hold: (what: RegExp, when: "unsent" | "answered") => Promise<Held>;
  close: () => Promise<void>;
}

interface Order {
  what: RegExp;
  when: "unsent" | "answered";
  held: (held: Held) => void;
}

/** Starts it on a free port of loopback; `target` is the URL of the cloud. */
export async function startHoldingProxy(target: string): Promise<HoldingProxy> {
  const orders: Order[] = [];
  const server = createServer((from, to) => {
    const index = orders.findIndex(({ what }) => what.test(`${from.method} ${from.url}`));
    const [order] = index < 0 ? [] : orders.splice(index, 1);
    void serve({ target, from, to }, order).catch(() => to.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    hold: (what, when) => new Promise((held) => void orders.push({ what, when, held })),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface Exchange {
  target: string;
  from: IncomingMessage;
  to: ServerResponse;
}

async function serve(exchange: Exchange, order: Order | undefined): Promise<void> {
  const { from, to } = exchange;
  const body = await buffer(from);
  if (order?.when === "unsent")
    return order.held({ arrive: () => forward(exchange, body).then((answer) => void answer.resume()) });
  const answer = await forward(exchange, body);
  if (order) {
    answer.resume();
    return order.held({ arrive: () => Promise.resolve() });
  }
  to.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.pipe(to);
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
