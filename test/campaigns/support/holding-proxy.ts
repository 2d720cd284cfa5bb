import { buffer } from "node:stream/consumers";
import { forward, passOn, startCloudProxy } from "./cloud-proxy.ts";
import type { CloudProxy, Exchange } from "./cloud-proxy.ts";

/** A request that is held: `arrive` lets it reach the cloud, whoever still waits for its response. */
export interface Held {
  arrive: () => Promise<void>;
}

/** Stands between operator and cloud, and holds requests, so that a moment between two of them can be met exactly. */
export interface HoldingProxy extends CloudProxy {
  /** The next request `METHOD path` that matches; `unsent`: before it reaches the cloud, `answered`: its response. */
  hold: (what: RegExp, when: "unsent" | "answered") => Promise<Held>;
}

interface Order {
  what: RegExp;
  when: "unsent" | "answered";
  held: (held: Held) => void;
}

/** Starts it on a free port of loopback; `target` is the URL of the cloud. */
export async function startHoldingProxy(target: string): Promise<HoldingProxy> {
  const orders: Order[] = [];
  const proxy = await startCloudProxy(target, (exchange) => {
    const { from } = exchange;
    const index = orders.findIndex(({ what }) => what.test(`${from.method} ${from.url}`));
    const [order] = index < 0 ? [] : orders.splice(index, 1);
    return serve(exchange, order);
  });
  return { ...proxy, hold: (what, when) => new Promise((held) => void orders.push({ what, when, held })) };
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
  passOn(answer, to);
}
