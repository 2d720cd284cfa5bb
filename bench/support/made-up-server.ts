/**
 * An API server that knows just what the operator asks for: objects, merge patches, watches that begin with all objects. It
 * validates nothing and stores nothing on a disk, so that a hundred thousand objects are there in seconds and the machine is left to the operator.
 *
 * Arguments: port, certificate, key. A POST to `/made-up/<plural>` takes one object a line.
 */
import { readFileSync } from "node:fs";
import { createSecureServer } from "node:http2";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { text } from "node:stream/consumers";
import { Collection, versionNow } from "./made-up-store.ts";
import type { Refusal } from "./made-up-store.ts";
import type { KubeObject } from "../../src/cluster/types.ts";

const [port = "0", certificate = "", key = ""] = process.argv.slice(2);
const bookmarkMs = 60_000;

interface Path {
  collection: Collection;
  apiVersion: string;
  namespace: string | undefined;
  name: string | undefined;
  status: boolean;
}

const collections = new Map<string, Collection>();
collectionOf("namespaces").create("kube-system", {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "kube-system" },
});

const server = createSecureServer({ allowHTTP1: true, cert: readFileSync(certificate), key: readFileSync(key) });
server.on("request", (request, response) => {
  void answer(request, response).catch((error: unknown) => {
    const { status = 500, reason = String(error) } = error as Partial<Refusal>;
    send(
      response,
      JSON.stringify({ kind: "Status", status: "Failure", code: status, reason, message: reason }),
      status,
    );
  });
});
server.listen(Number(port), "127.0.0.1", () => console.log("listening"));

function collectionOf(plural: string): Collection {
  const known = collections.get(plural) ?? new Collection();
  collections.set(plural, known);
  return known;
}

async function answer(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url, "https://localhost");
  if (pathname === "/readyz") return send(response, "ok");
  if (pathname.startsWith("/made-up/")) return makeUp(pathname.slice("/made-up/".length), request, response);
  const path = parse(pathname);
  if (request.method === "GET" && path.name === undefined)
    return searchParams.get("watch") === "true"
      ? watch(path, request, response, searchParams)
      : list(path, response, Number(searchParams.get("limit") ?? Infinity));
  const body = request.method === "GET" ? "" : await text(request);
  send(response, carryOut(path, request.method, body === "" ? {} : (JSON.parse(body) as Record<string, unknown>)));
}

/** `/apis/group/version/namespaces/ns/plural/name/status`, of which most may be missing. */
function parse(pathname: string): Path {
  const [root, ...rest] = pathname.split("/").slice(1).map(decodeURIComponent);
  const apiVersion = root === "api" ? rest.shift() : `${rest.shift()}/${rest.shift()}`;
  const namespace = rest[0] === "namespaces" && rest.length > 2 ? rest.splice(0, 2)[1] : undefined;
  const [plural = "", name, part] = rest;
  return { collection: collectionOf(plural), apiVersion: apiVersion ?? "", namespace, name, status: part === "status" };
}

function carryOut(
  { collection, namespace, name, status }: Path,
  method: string,
  body: Record<string, unknown>,
): string {
  const at = (one: string): string => (namespace === undefined ? one : `${namespace}/${one}`);
  if (method === "POST") return collection.create(at((body["metadata"] as { name: string }).name), body);
  const key = at(name ?? "");
  if (method === "PATCH") return collection.patch(key, body, status);
  if (method === "DELETE") return collection.delete(key);
  return collection.texts.get(key) ?? JSON.stringify(collection.get(key));
}

function list({ collection, apiVersion }: Path, response: Http2ServerResponse, limit: number): void {
  const items = [...collection.texts.values()].slice(0, limit).join(",");
  send(
    response,
    `{"apiVersion":"${apiVersion}","kind":"List","metadata":{"resourceVersion":"${versionNow()}"},"items":[${items}]}`,
  );
}

async function watch(
  { collection, apiVersion }: Path,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  query: URLSearchParams,
): Promise<void> {
  const metadataOnly = request.headers.accept?.includes("PartialObjectMetadata") === true;
  const line = (type: string, object: string): string =>
    `{"type":"${type}","object":${metadataOnly ? partial(object) : object}}\n`;
  const bookmark = (annotations = ""): string =>
    `{"type":"BOOKMARK","object":{"apiVersion":"${apiVersion}","kind":"Bookmark","metadata":{"resourceVersion":"${versionNow()}"${annotations}}}}\n`;
  response.writeHead(200, { "content-type": "application/json" });
  if (query.get("sendInitialEvents") === "true") {
    const before = [...collection.texts.values()];
    for (const object of before) {
      if (!response.write(line("ADDED", object))) await new Promise((resolve) => response.once("drain", resolve));
    }
    response.write(bookmark(',"annotations":{"k8s.io/initial-events-end":"true"}'));
  }
  const listener = (type: string, object: string): void => void response.write(line(type, object));
  collection.listeners.add(listener);
  const timer = setInterval(() => response.write(bookmark()), bookmarkMs);
  response.once("close", () => {
    collection.listeners.delete(listener);
    clearInterval(timer);
  });
}

function partial(object: string): string {
  const { metadata } = JSON.parse(object) as KubeObject;
  return JSON.stringify({ apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata });
}

async function makeUp(plural: string, request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
  const collection = collectionOf(plural);
  for (const line of (await text(request)).split("\n")) {
    if (line === "") continue;
    const object = JSON.parse(line) as KubeObject;
    collection.create(`${object.metadata.namespace}/${object.metadata.name}`, { ...object });
  }
  send(response, "{}");
}

function send(response: Http2ServerResponse, body: string, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(body);
}
