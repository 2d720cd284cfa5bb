import { pipeline, Readable } from "node:stream";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../errors.ts";
import { registerPage } from "../page/routes.ts";
import { parseBody } from "../wire.ts";
import type { Act } from "./area-control.ts";
import { controlActs } from "./control-acts.ts";
import type { Control } from "./control.ts";

export interface ControlOptions {
  /** Routes of the areas. */
  readonly areaActs: Readonly<Record<string, Act>>;
  readonly controlToken: string;
}

/** Registers the control side with a separate token, and the page. */
export function registerControl(
  app: FastifyInstance,
  control: Control,
  { areaActs, controlToken }: ControlOptions,
): void {
  for (const [route, act] of Object.entries({ ...controlActs(control), ...areaActs })) {
    const [method = "GET", url = ""] = route.split(" ");
    app.route({
      method,
      url: `/_simulator${url}`,
      handler: (request, reply) => answer(request, reply, act, controlToken),
    });
  }
  registerPage(app, control, controlToken);
}

function answer(request: FastifyRequest, reply: FastifyReply, act: Act, controlToken: string): FastifyReply {
  reply.header("Content-Type", "application/json");
  try {
    if (request.headers.authorization !== `Bearer ${controlToken}`)
      throw new ApiError(401, [{ reason: "The control side wants its own token" }]);
    const body = parseBody(typeof request.body === "string" ? request.body : "");
    const answered = act(body, request) ?? {};
    if (answered instanceof Readable) return stream(reply, answered);
    return reply.send(Buffer.from(JSON.stringify(answered)));
  } catch (error) {
    const status = error instanceof ApiError ? error.status : 400;
    const errors = error instanceof ApiError ? error.errors : [{ reason: (error as Error).message }];
    return reply.code(status).send(Buffer.from(JSON.stringify({ errors })));
  }
}

/** Sends the head immediately, because the first line can take long. */
function stream(reply: FastifyReply, lines: Readable): FastifyReply {
  reply.hijack();
  reply.raw.writeHead(200, { "Content-Type": "application/x-ndjson" }).flushHeaders();
  pipeline(lines, reply.raw, () => {});
  return reply;
}
