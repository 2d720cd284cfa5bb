/** The scopes of a token, from the header of responses. */
import { describe, expect, test } from "vitest";
import { clientFor, json, startServer, type Reply } from "./server.ts";

describe("the token", () => {
  test("scopes come from the header, in our words", async () => {
    const server = await startServer(json(200, {}, { "x-oauth-scopes": "acmes:read_only account:read_write" }));
    const { client } = clientFor(server.url, { brandWord: "acme" });
    expect(client.scopes()).toEqual([]);
    await client.get("/profile");
    expect(client.scopes()).toEqual(["compute:read_only", "account:read_write"]);
  });

  test("…not of what something on the way answers, and each list is remembered", async () => {
    const scopes = { "x-oauth-scopes": "*" };
    const page: Reply = (response) =>
      void response.writeHead(502, { "content-type": "text/html", ...scopes }).end("<p>");
    const server = await startServer(
      json(200, {}, { "x-oauth-scopes": "domains:read_only" }),
      page,
      json(404, { errors: [{ reason: "Not found" }] }, scopes),
      json(200, {}, { "x-oauth-scopes": "unknown" }),
    );
    const { client } = clientFor(server.url);
    await client.get("/profile");
    await expect(client.send("POST", "/domains")).rejects.toThrow("502");
    await expect(client.get("/regions")).rejects.toThrow("Not found");
    expect(client.scopes()).toEqual(["domains:read_only"]);
    await client.get("/profile");
    expect(client.scopesHeard()).toEqual([["domains:read_only"], ["unknown"]]);
  });
});
