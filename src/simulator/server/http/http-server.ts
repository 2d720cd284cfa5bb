/*
 * Builds the HTTP server: routes, invalid requests, responses, signed URLs, the OpenAPI document.
 * Guarantees: every response has the documented form. The ledger has every readable request.
 * Imports the other folders of the server.
 */
import fastify from "fastify";
import type { FastifyInstance, FastifyServerOptions } from "fastify";
import { registerControl } from "../control/control-routes.ts";
import type { ControlOptions } from "../control/control-routes.ts";
import type { Control } from "../control/control.ts";
import type { Operation } from "../operation.ts";
import type { Certificate } from "../settings/certificate.ts";
import type { World } from "../world.ts";
import { ARRIVAL, answerBroken, refuseOddities, utf8 } from "./broken-requests.ts";
import type { Mount } from "./mount.ts";
import { OPENAPI_PATH, openApiDocument } from "./openapi.ts";
import { registerOperations, turnAway } from "./router.ts";

/** Limit of a body in bytes. The longest documented field has 65,535 characters. */
const BODY_LIMIT = 1_048_576;

export interface ServerOptions extends ControlOptions {
  readonly operations: readonly Operation[];
  readonly mounts: readonly Mount[];
  readonly tls: Certificate | undefined;
}

/** Builds the API under /v4 and /v4beta, the mounts, the control side under /_simulator, and /healthz. */
export function buildServer(
  world: World,
  control: Control,
  { operations, mounts, tls, ...controlOptions }: ServerOptions,
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
    rewriteUrl: ({ headers, url }) => neutralUrl(world, pathOfHost(world, mounts, headers.host, originForm(url))),
  };
  // Fastify has separate types for HTTP and HTTPS servers. This code works with both.
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
    const document = openApiDocument(operations, world.url(), world.brand);
    reply.header("Content-Type", "application/json").send(Buffer.from(JSON.stringify(document)));
  });
  registerOperations(app, world, operations);
  for (const each of mounts) each.mount(app, world);
  registerControl(app, control, controlOptions);
  refuseOddities(app.server);
  return app;
}

function pathOfHost(world: World, mounts: readonly Mount[], host: string | undefined, url: string): string {
  return mounts.reduce((path, mount) => mount.pathOfHost?.(world, host, path) ?? path, url);
}

/** Returns the path of a URL. The client of a proxy sends the whole URL instead of the path. */
function originForm(url = "/"): string {
  return url.replace(/^https?:\/\/[^/?#]*/i, "") || "/";
}

function neutralUrl(world: World, url: string): string {
  return url.startsWith("/v4") ? world.brand.inboundPath(url) : url;
}
