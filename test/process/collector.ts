import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status?: { code?: number };
}

export interface Collector {
  url: string;
  /** Bodies of all requests so far, as they came. */
  bodies: string[];
  spans(): Span[];
  /** Attributes of the resource in the first request. */
  resource(): Record<string, unknown>;
}

/** Takes traces over OTLP/HTTP in JSON, and answers each with the status; closed when the test ends. */
export async function startCollector(status = 200): Promise<Collector> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      bodies.push(Buffer.concat(chunks).toString("utf8"));
      response.writeHead(status, { "content-type": "application/json" }).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const resources = () =>
    bodies.flatMap((body) => (JSON.parse(body) as { resourceSpans: ResourceSpans[] }).resourceSpans);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    spans: () => resources().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    resource: () => plain(resources()[0]?.resource.attributes ?? []),
  };
}

interface ResourceSpans {
  resource: { attributes: Span["attributes"] };
  scopeSpans: { spans: Span[] }[];
}

/** Attributes as an object. */
export function attributesOf({ attributes }: Span): Record<string, unknown> {
  return plain(attributes);
}

function plain(attributes: Span["attributes"]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
