import fastify from "fastify";
import type { FastifyInstance, FastifyServerOptions } from "fastify";
import { answerBroken, ARRIVAL, refuseOddities, utf8 } from "./broken-requests.ts";
import type { Certificate } from "./certificate.ts";
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
export function buildServer(
  world: World,
  control: Control,
  { controlToken, tls }: { controlToken: string; tls: Certificate | undefined },
): FastifyInstance {
  const arrival = { headersTimeout: ARRIVAL.headersTimeout, requireHostHeader: false };
  const options: FastifyServerOptions = {
    bodyLimit: BODY_LIMIT,
    exposeHeadRoutes: false,
    requestTimeout: ARRIVAL.requestTimeout,
    clientErrorHandler: (error, socket) => answerBroken(error, socket),
    frameworkErrors: ({ code }, request, reply) =>
      code === "FST_ERR_BAD_URL"
        ? turnAway(world, request, reply, 400, "The path could not be read")
        : turnAway(world, request, reply, 404, "Not found"),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 512 },
    rewriteUrl: (request) => neutralUrl(world, pathOfBucketHost(world, request.headers.host, originForm(request.url))),
  };
  // Fastify's types tell an HTTPS server from the other; nothing here does.
  const server = tls ? { ...options, https: { ...arrival, ...tls } } : { ...options, http: arrival };
  const app = fastify(server as FastifyServerOptions);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => {
    const text = utf8(body as Buffer);
    if (text === undefined) done(new Error("not UTF-8"));
    else done(null, text);
  });
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
  refuseOddities(app.server);
  return app;
}

/** A proxy's client names the whole URL where others name the path. */
function originForm(url = "/"): string {
  return url.replace(/^https?:\/\/[^/?#]*/i, "") || "/";
}

function neutralUrl(world: World, url: string): string {
  return url.startsWith("/v4") ? world.brand.inboundPath(url) : url;
}
