import { collectionPath, withQuery } from "./paths.ts";
import type { Transport, TransportRequest } from "./transport.ts";
import type { KubeObject, Resource } from "./types.ts";

export interface ListPage {
  metadata: { resourceVersion: string; continue?: string };
  /** Null where metadata alone is asked for and there is nothing. */
  items: KubeObject[] | null;
}

export interface ListRequest {
  path: string;
  accept?: string;
  fieldSelector?: string;
  resource: string;
}

/** Which objects to list; see `ListOptions`. */
interface Listed {
  resource: Resource;
  namespace?: string;
  metadataOnly?: boolean;
  fields?: Record<string, string>;
}

/** What to list: of all namespaces when none is named, metadata alone where that is enough. */
export function listRequest(what: Listed): ListRequest {
  return {
    path: collectionPath(what.resource, what.namespace),
    resource: what.resource.plural,
    ...(what.fields && { fieldSelector: selector(what.fields) }),
    ...(what.metadataOnly === true ? { accept: partial("PartialObjectMetadataList") } : {}),
  };
}

/** The API server reads a backslash before a comma, an equals sign and a backslash of a value. */
function selector(fields: Record<string, string>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${value.replaceAll(/[\\,=]/g, "\\$&")}`)
    .join(",");
}

/** Media type of metadata alone. */
export function partial(kind: "PartialObjectMetadata" | "PartialObjectMetadataList"): string {
  return `application/json;as=${kind};g=meta.k8s.io;v=v1`;
}

/** Objects of the first page. An object can have more than a megabyte. */
const firstPage = 20;
/** Objects of a later page. */
const largestPage = 500;
/** Characters of a later page. One turn of the event loop parses a page: 2 MB take about 10 ms. */
const pageLength = 2_000_000;
/** More pages than any cluster needs for one kind. */
const mostPages = 100_000;

/** Returns the size of a page after a page with so many characters for so many objects. */
function nextSize(length: number, count: number): number {
  const each = Math.max(1, length / Math.max(1, count));
  return Math.min(largestPage, Math.max(1, Math.floor(pageLength / each)));
}

/**
 * Lists all objects of a collection at one resourceVersion, in pages of bounded length. `slim` says what is kept of an object. A
 * token that expires midway is a 410.
 */
export async function listAll(
  transport: Transport,
  request: ListRequest,
  slim = (object: KubeObject): KubeObject => object,
): Promise<{ objects: KubeObject[]; resourceVersion: string }> {
  const objects: KubeObject[] = [];
  let next: string | undefined;
  let size = firstPage;
  for (let page = 0; page < mostPages; page++) {
    let length = 0;
    const answer = await listPage(transport, request, { limit: size, next, onLength: (all) => (length = all) });
    for (const item of answer.items ?? []) objects.push(slim(item));
    size = nextSize(length, answer.items?.length ?? 0);
    next = answer.metadata.continue;
    if (next === undefined || next === "") return { objects, resourceVersion: answer.metadata.resourceVersion };
  }
  throw new Error(`list ${request.resource}: the pages do not end`);
}

interface Page {
  /** The most objects. */
  limit: number;
  /** The token of the page; the first page if not given. */
  next?: string | undefined;
  onLength?: TransportRequest["onLength"];
}

export async function listPage(
  transport: Transport,
  { path, accept, fieldSelector, resource }: ListRequest,
  { limit, next, onLength }: Page,
): Promise<ListPage> {
  const read: TransportRequest = {
    method: "GET",
    path: withQuery(path, { limit: String(limit), continue: next, fieldSelector }),
    ...(accept === undefined ? {} : { accept }),
    ...(onLength && { onLength }),
    idempotent: true,
    verb: "list",
    resource,
  };
  return (await transport.request(read)) as ListPage;
}
