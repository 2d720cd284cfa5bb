import * as z from "zod";
import type { Brand } from "../brand.ts";
import type { Operation } from "../operation.ts";
import { SPEC_VERSION } from "./dispatch.ts";

type Json = Record<string, unknown>;

/** Public path of the document. */
export const OPENAPI_PATH = "/openapi.json";

const INTEGER = { type: "integer", minimum: 0 };
const ERROR = {
  description: "A refusal, or a fault of the service",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Errors" } } },
};
const NO_CONTENT = { "204": { description: "There is nothing to tell" } };
const SCHEMAS = {
  Errors: {
    type: "object",
    required: ["errors"],
    properties: {
      errors: {
        type: "array",
        items: {
          type: "object",
          required: ["reason"],
          properties: { field: { type: "string" }, reason: { type: "string" } },
        },
      },
    },
  },
  Page: {
    type: "object",
    required: ["data", "page", "pages", "results"],
    properties: { data: { type: "array", items: {} }, page: INTEGER, pages: INTEGER, results: INTEGER },
  },
};
const PAGING = [
  { name: "page", in: "query", schema: { type: "integer", minimum: 1, default: 1 } },
  { name: "page_size", in: "query", schema: { type: "integer", minimum: 25, maximum: 500, default: 100 } },
];

/** Returns the API as an OpenAPI 3.1 document, generated only from the operations. `url` is the base without a version. */
export function openApiDocument(operations: readonly Operation[], url: string, brand: Brand): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = operation.path.replace(/^\/compute\b/, `/${brand.word}`);
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation, url, brand) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Simulated cloud platform",
      version: SPEC_VERSION,
      description: "The HTTP API of a cloud account, simulated.",
    },
    servers: [{ url: `${url}/v4` }],
    security: [{ token: [] }],
    paths,
    components: { schemas: SCHEMAS, securitySchemes: { token: { type: "http", scheme: "bearer" } } },
  };
}

function describe(operation: Operation, url: string, brand: Brand): Json {
  const { method, path, summary, auth = "token", scopes = [], body, beta, unrestricted, mayBeEmpty } = operation;
  const token = { token: brand.outboundScopes(scopes.join(" ")).split(" ").filter(Boolean) };
  const security = { none: [], optional: [{}, token], token: [token] }[auth];
  return {
    operationId: operationId(method, path),
    summary,
    ...(unrestricted && { description: "For unrestricted users only." }),
    tags: [path.split("/")[1] ?? ""],
    ...(beta && { servers: [{ url: `${url}/v4beta` }] }),
    security,
    parameters: parametersOf(operation),
    ...(body && { requestBody: { content: { "application/json": { schema: schemaOf(body, brand) } } } }),
    responses: { "200": answerOf(operation), ...(mayBeEmpty && NO_CONTENT), default: ERROR },
  };
}

function parametersOf(operation: Operation): Json[] {
  const names = Array.from(operation.path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
  const inPath = names.map((name) => pathParameter(operation, name));
  const { paged } = operation;
  if (!paged) return inPath;
  const description = `A JSON object that filters and orders by: ${paged.filterable.join(", ") || "nothing"}.`;
  return [...inPath, ...PAGING, { name: "X-Filter", in: "header", description, schema: { type: "string" } }];
}

function pathParameter({ params }: Operation, name: string): Json {
  const kind = params?.[name] ?? (name.endsWith("Id") ? "integer" : "text");
  const slug = kind === "slug" && { description: "May hold a slash, written as such or as %2F." };
  return { name, in: "path", required: true, ...slug, schema: kind === "integer" ? INTEGER : { type: "string" } };
}

function answerOf({ paged }: Operation): Json {
  const schema = paged ? { $ref: "#/components/schemas/Page" } : { type: "object" };
  return { description: "Done", content: { "application/json": { schema } } };
}

function schemaOf(body: z.ZodType, brand: Brand): unknown {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(body, { io: "input" });
  return branded(brand.outbound(schema), brand);
}

/** Translates `required` separately, because the translator of bodies does not look for field names in lists. */
function branded(value: unknown, brand: Brand): unknown {
  if (Array.isArray(value)) return value.map((item) => branded(item, brand));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const isNames = key === "required" && Array.isArray(inner);
    return [key, isNames ? inner.map((name) => fieldName(String(name), brand)) : branded(inner, brand)];
  });
  return Object.fromEntries(entries);
}

function fieldName(name: string, brand: Brand): string {
  return Object.keys(brand.outbound({ [name]: null }) as object)[0] ?? name;
}

/** Returns an ID such as `postComputeInstancesComputeIdBoot` for `POST /compute/instances/{computeId}/boot`. */
function operationId(method: string, path: string): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}
