import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { errorBody } from "../errors.ts";
import type { OutgoingAnswer } from "../http/dispatch.ts";
import type { World } from "../world.ts";
import type { Fault } from "./faults.ts";

/** The parts of a request that a fault can change. */
export interface Exchange {
  /** Runs the request. Called at most once. */
  run(fault?: Fault): OutgoingAnswer | Promise<OutgoingAnswer>;
  /** Records a request that does not run. Returns the ID in the ledger. Status null: the request has no response. */
  drop(status: number | null, fault: Fault): number;
  send(answer: OutgoingAnswer, options?: { contentType?: string; half?: boolean }): void;
  /** Breaks the connection without a response. */
  reset(): void;
}

/** The properties of a request that select a fault. */
export interface Asked {
  readonly method: string;
  /** Without the version segment, in the neutral word. */
  readonly path: string;
  readonly operation: string;
}

/** Runs one request, with the matching fault if any. */
export async function carryExchange(
  world: World,
  { method, path, operation }: Asked,
  exchange: Exchange,
): Promise<void> {
  const fault = world.faults.match(method, path, operation);
  if (fault) await playFault(world, fault, exchange);
  else await sendRun(exchange);
}

/** Sends the response. A response without a promise is sent synchronously. */
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

/** Breaks a connection like a crash. Over TLS, Node cannot send a reset, so the socket closes without the closing handshake. */
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
