import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { errorBody } from "../errors.ts";
import type { OutgoingAnswer } from "../http/dispatch.ts";
import type { World } from "../world.ts";
import type { Fault } from "./faults.ts";

/** The two sides of an exchange that a fault can play with. */
export interface Exchange {
  /** Carries the request out, exactly once. */
  run(fault?: Fault): OutgoingAnswer | Promise<OutgoingAnswer>;
  /** Records a request that is not carried out; answers the ledger's id. `status` null: not answered either. */
  drop(status: number | null, fault: Fault): number;
  send(answer: OutgoingAnswer, options?: { contentType?: string; half?: boolean }): void;
  /** Breaks the connection without an answer. */
  reset(): void;
}

/** What a fault is looked up by. */
export interface Asked {
  readonly method: string;
  /** Below the version segment, in the neutral word. */
  readonly path: string;
  /** The operation's name. */
  readonly operation: string;
}

/** Carries one exchange out, with the fault that is armed for it. */
export async function carryExchange(
  world: World,
  { method, path, operation }: Asked,
  exchange: Exchange,
): Promise<void> {
  const fault = world.faults.match(method, path, operation);
  if (fault) await playFault(world, fault, exchange);
  else await sendRun(exchange);
}

/** Sends the answer; one that is there at once leaves at once. */
async function sendRun(exchange: Exchange, fault?: Fault, options: { half?: boolean } = {}): Promise<void> {
  const answer = exchange.run(fault);
  exchange.send(answer instanceof Promise ? await answer : answer, options);
}

async function playFault(world: World, fault: Fault, exchange: Exchange): Promise<void> {
  switch (fault.kind) {
    case "status":
      return refuse(exchange, fault, fault.status, fault.reason ?? "Simulated fault", {}, fault.field);
    case "rate-limit":
      return refuse(exchange, fault, 429, "Too many requests", retryAfter(fault.retryAfter));
    case "maintenance":
      return refuse(exchange, fault, 503, "The service is under maintenance", {
        "X-Maintenance-Mode": "true",
        ...retryAfter(fault.retryAfter ?? 60),
      });
    case "html":
      return sendHtml(exchange, fault, fault.status ?? 502);
    case "empty":
      return exchange.send({ status: 200, headers: {}, body: {}, entry: exchange.drop(200, fault) });
    case "reset-before":
      exchange.drop(null, fault);
      return exchange.reset();
    case "reset-after":
      await exchange.run(fault);
      return exchange.reset();
    case "late-apply":
      exchange.reset();
      await wait(world, fault.ms);
      await exchange.run(fault);
      return;
    case "delay":
      await wait(world, fault.ms);
      return sendRun(exchange, fault);
    case "slow-answer": {
      const answer = await exchange.run(fault);
      await wait(world, fault.ms);
      return exchange.send(answer);
    }
    case "truncate":
      return sendRun(exchange, fault, { half: true });
    case "absent":
    case "shift":
      return sendRun(exchange, fault);
  }
}

/** Ends a connection as a crash would: with a reset, or over TLS, which Node cannot reset, without the closing handshake. */
export function breakConnection(socket: Socket): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

function refuse(
  exchange: Exchange,
  fault: Fault,
  status: number,
  reason: string,
  headers: Record<string, string> = {},
  field?: string,
): void {
  const entry = exchange.drop(status, fault);
  const body = errorBody([{ ...(field !== undefined && { field }), reason }]);
  exchange.send({ status, headers, body, entry });
}

function sendHtml(exchange: Exchange, fault: Fault, status: number): void {
  const body = `<html><head><title>${status} Bad Gateway</title></head><body><h1>${status} Bad Gateway</h1></body></html>`;
  exchange.send({ status, headers: {}, body, entry: exchange.drop(status, fault) }, { contentType: "text/html" });
}

function retryAfter(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { "Retry-After": String(seconds) };
}

function wait(world: World, ms: number): Promise<void> {
  return new Promise((resolve) => {
    world.clock.schedule(ms, resolve);
  });
}
