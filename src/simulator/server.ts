import fastify from "fastify";
import type { FastifyInstance } from "fastify";
import { registerControl } from "./control-routes.ts";
import type { Control } from "./control.ts";
import { registerUploads } from "./images/uploads.ts";
import { pathOfBucketHost, registerObjects } from "./objectstorage/routes.ts";
import { OPENAPI_PATH, openApiDocument } from "./openapi.ts";
import { OPERATIONS } from "./registry.ts";
import { registerOperations, turnAway } from "./router.ts";
import type { World } from "./world.ts";

/** The longest body that is read, bytes; the longest documented field is 65,535 characters. */
const BODY_LIMIT = 1_048_576;

/** Builds the HTTP side: the API under /v4 and /v4beta, the control side under /_simulator, objects, and /healthz. */
export function buildServer(world: World, control: Control, controlToken: string): FastifyInstance {
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512 },
    rewriteUrl: (request) => neutralUrl(world, pathOfBucketHost(world, request.headers.host, request.url ?? "/")),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  app.setNotFoundHandler((request, reply) => turnAway(world, request, reply, 404, "Not found"));
  app.setErrorHandler((error: { code?: string }, request, reply) => {
    const tooLong = error.code === "FST_ERR_CTP_BODY_TOO_LARGE";
    turnAway(world, request, reply, 400, tooLong ? "The request body is too long" : "The request could not be read");
  });
  app.get("/healthz", (_request, reply) => reply.type("text/plain").send("ok\n"));
  app.get(OPENAPI_PATH, (_request, reply) => {
    const document = openApiDocument(OPERATIONS, world.url(), world.brand);
    reply.header("Content-Type", "application/json").send(Buffer.from(JSON.stringify(document)));
  });
  registerOperations(app, world, OPERATIONS);
  registerUploads(app, world);
  registerObjects(app, world);
  registerControl(app, control, controlToken);
  return app;
}

function neutralUrl(world: World, url: string): string {
  return url.startsWith("/v4") ? world.brand.inboundPath(url) : url;
}
