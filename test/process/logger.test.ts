import { expect, it } from "vitest";
import { createLogger } from "../../src/process/logger.ts";

function logTo(lines: string[], format: "json" | "text" = "json", context = () => ({})) {
  return createLogger({ level: "info", format, context, stream: { write: (line) => lines.push(line) } });
}

it("writes the keys that controller-runtime writes", () => {
  const lines: string[] = [];
  const context = { controller: "domain", namespace: "team", name: "web", reconcileID: "1" };
  const log = logTo(lines, "json", () => context);
  log.error({ error: new Error("update failed", { cause: new Error("status 500") }) }, "reconciler error");
  const entry = JSON.parse(lines[0] ?? "") as Record<string, unknown>;
  expect(entry).toMatchObject({
    level: "error",
    msg: "reconciler error",
    controller: "domain",
    namespace: "team",
    name: "web",
    reconcileID: "1",
    error: "update failed: status 500",
    stacktrace: expect.stringContaining("logger.test.ts"),
  });
  expect(new Date(String(entry["ts"])).getTime()).toBeGreaterThan(0);
  expect(Object.keys(entry)).not.toContain("pid");
});

it("shows no stack of what an API has answered", () => {
  const lines: string[] = [];
  const error = Object.assign(new Error("GET /domains answered 503"), { name: "HttpError" });
  logTo(lines).warn({ error }, "a collection could not be read");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ error: "GET /domains answered 503" });
  expect(lines[0]).not.toContain("stacktrace");
});

it("names the object of a reconcile once in a line for people", () => {
  const lines: string[] = [];
  const object = { name: "web", namespace: "team" };
  const context = { controller: "domain", controllerGroup: "g", controllerKind: "Domain", Domain: object, ...object };
  logTo(lines, "text", () => context).info({ key: "Domain/team/web", id: "7" }, "Updated");
  expect(lines[0]).toMatch(/ INFO {2}Updated key=Domain\/team\/web id=7\n$/);
});

it.each([
  ["at the top", { token: "s3cret" }],
  ["in a request", { request: { headers: { authorization: "Bearer s3cret" } } }],
  ["in a body", { body: { root_pass: "s3cret" } }],
  ["far down in a list", { requests: [{ body: { users: [{ login: { password: "s3cret" } }] } }] }],
])("never writes a secret %s", (_where, fields) => {
  const lines: string[] = [];
  logTo(lines).info(fields, "request");
  expect(lines[0]).toContain("(redacted)");
  expect(lines[0]).not.toContain("s3cret");
});

it("never writes a secret among the fields of all lines", () => {
  const lines: string[] = [];
  logTo(lines, "json", () => ({ request: { token: "s3cret" } })).info({}, "request");
  expect(lines[0]).toContain("(redacted)");
  expect(lines[0]).not.toContain("s3cret");
});

it("changes nothing of what it is given, and writes the rest of what holds a secret", () => {
  const lines: string[] = [];
  const given = { body: { token: "s3cret", label: "web" }, at: new Date(0) };
  logTo(lines).info(given, "request");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    body: { token: "(redacted)", label: "web" },
    at: "1970-01-01T00:00:00.000Z",
  });
  expect(given.body.token).toBe("s3cret");
});

it("writes what leads back to itself", () => {
  const lines: string[] = [];
  const given: { name: string; self?: object; token: string } = { name: "web", token: "s3cret" };
  given.self = given;
  logTo(lines).info({ given }, "request");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ given: { name: "web", self: "(circular)" } });
});

it("drops what is below its level", () => {
  const lines: string[] = [];
  logTo(lines).debug({}, "detail");
  expect(lines).toEqual([]);
});

it("writes lines for people as text, with quotes just where they are needed", () => {
  const lines: string[] = [];
  logTo(lines, "text").info({ name: "web", note: "two words" }, "created");
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d\.\d{3} INFO  created name=web note="two words"\n$/);
});
