import { collectionPath, withQuery } from "./paths.ts";
import type { Transport, TransportRequest } from "./transport.ts";
import type { KubeObject, Resource } from "./types.ts";

export interface ListPage {
  metadata: { resourceVersion: string; continue?: string };
  /** Null in an empty metadata-only list. */
  items: KubeObject[] | null;
}

export interface ListRequest {
  path: string;
  accept?: string;
  fieldSelector?: string;
  resource: string;
}

/** The objects to list; see `ListOptions`. */
interface Listed {
  resource: Resource;
  namespace?: string;
  metadataOnly?: boolean;
  fields?: Record<string, string>;
}

/** Returns the request for a list. Lists the whole cluster without a namespace. */
export function listRequest(what: Listed): ListRequest {
  return {
    path: collectionPath(what.resource, what.namespace),
    resource: what.resource.plural,
    ...(what.fields && { fieldSelector: selector(what.fields) }),
    ...(what.metadataOnly === true ? { accept: partial("PartialObjectMetadataList") } : {}),
  };
}

/**
 * Returns a field selector. The API server needs a backslash before a comma, an equals sign and a backslash in a value.
 */
function selector(fields: Record<string, string>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${value.replaceAll(/[\\,=]/g, "\\$&")}`)
    .join(",");
}

/** Returns the media type of metadata-only responses. */
export function partial(kind: "PartialObjectMetadata" | "PartialObjectMetadataList"): string {
  return `application/json;as=${kind};g=meta.k8s.io;v=v1`;
}

/** Objects of the first page. An object can have more than a megabyte. */
const firstPage = 20;
/** Most objects of a later page. */
const largestPage = 500;
/** Target size of a later page, characters. One turn of the event loop parses a page: 2 MB take about 10 ms. */
const pageLength = 2_000_000;
/** More pages than any list needs. */
const mostPages = 100_000;

/** Returns the size of the next page, from the characters and objects of the last page. */
function nextSize(length: number, count: number): number {
  const each = Math.max(1, length / Math.max(1, count));
  return Math.min(largestPage, Math.max(1, Math.floor(pageLength / each)));
}

/**
 * Lists the objects of a collection at one resourceVersion, in pages of limited size. `slim` returns the part of an
 * object to keep. Throws a 410 if a continue token expires.
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
  limit: number;
  /** Token of the page; unset for the first page. */
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
