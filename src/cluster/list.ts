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

const pageSize = 500;
/** 500 objects a page: more than any cluster holds of one kind. */
const mostPages = 10_000;

/** All objects of a collection as of one resourceVersion, by pages of 500, each as `slim` keeps it. A token that expires midway is a 410. */
export async function listAll(
  transport: Transport,
  request: ListRequest,
  slim = (object: KubeObject): KubeObject => object,
): Promise<{ objects: KubeObject[]; resourceVersion: string }> {
  const objects: KubeObject[] = [];
  let next: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const answer = await listPage(transport, request, pageSize, next);
    for (const item of answer.items ?? []) objects.push(slim(item));
    next = answer.metadata.continue;
    if (next === undefined || next === "") return { objects, resourceVersion: answer.metadata.resourceVersion };
  }
  throw new Error(`list ${request.resource}: the pages do not end`);
}

export async function listPage(
  transport: Transport,
  { path, accept, fieldSelector, resource }: ListRequest,
  limit: number,
  next?: string,
): Promise<ListPage> {
  const read: TransportRequest = {
    method: "GET",
    path: withQuery(path, { limit: String(limit), continue: next, fieldSelector }),
    ...(accept === undefined ? {} : { accept }),
    idempotent: true,
    verb: "list",
    resource,
  };
  return (await transport.request(read)) as ListPage;
}
