import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { OPERATIONS } from "../../../../src/simulator/registry.ts";
import { running } from "../../running.ts";

type Methods = Record<string, { operationId: string; security: unknown; servers?: unknown; requestBody?: unknown }>;

test("the simulator tells its API as a valid OpenAPI document, to anybody", async () => {
  const simulator = await running();
  const reply = await simulator.call("GET", "/openapi.json", undefined, { token: null });
  expect(reply.headers.get("content-type")).toBe("application/json");
  const verdict = await new Validator().validate(reply.body);
  expect(verdict.errors ?? []).toEqual([]);
  expect(verdict.valid).toBe(true);
});

test("the validator finds a document out that is not valid", async () => {
  const verdict = await new Validator().validate({ openapi: "3.1.0", info: {}, paths: { x: 1 } });
  expect(verdict.valid).toBe(false);
});

test("the document holds every operation, with its scopes, version and body", async () => {
  const simulator = await running();
  const { body } = await simulator.call("GET", "/openapi.json");
  const paths = body["paths"] as Record<string, Methods>;
  const count = Object.values(paths).reduce((sum, methods) => sum + Object.keys(methods).length, 0);
  expect(count).toBe(OPERATIONS.length);
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  expect(new Set(ids).size).toBe(count);
  expect(paths["/images"]?.["post"]?.security).toEqual([{ token: ["images:read_write", "compute:read_only"] }]);
  expect(paths["/regions"]?.["get"]?.security).toEqual([]);
  expect(paths["/networking/vlans"]?.["get"]?.servers).toEqual([{ url: `${simulator.url}/v4beta` }]);
  expect(paths["/compute/instances"]?.["post"]?.requestBody).toMatchObject({
    content: {
      "application/json": { schema: { required: ["region", "type"], properties: { region: { type: "string" } } } },
    },
  });
});

test("the document requires of an error only what each error has", async () => {
  const simulator = await running();
  const { body } = await simulator.call("GET", "/openapi.json");
  const { components } = body as { components: { schemas: Record<string, unknown> } };
  const required = /"required":\["reason"\],"properties":\{"field":\{"type":"string"\}/;
  expect(JSON.stringify(components.schemas)).toMatch(required);
  const { body: refusal } = await simulator.call("GET", "/compute/instances/1");
  expect(refusal).toEqual({ errors: [{ reason: "Not found" }] });
});

test("the document speaks the brand word", async () => {
  const simulator = await running({ brandWord: "acme" });
  const { body } = await simulator.call("GET", "/openapi.json");
  const paths = body["paths"] as Record<string, Methods>;
  expect(paths["/acme/instances/{computeId}/backups/{backupId}/restore"]?.["post"]).toMatchObject({
    security: [{ token: ["acmes:read_write"] }],
    requestBody: {
      content: { "application/json": { schema: { required: ["acme_id"], properties: { acme_id: {} } } } },
    },
  });
});
