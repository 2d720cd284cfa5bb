/*
 * Serves the page of the simulator at /_simulator/, and the forms of the page.
 * The page has no scripts. The page requires the control token, and forms work only from the page.
 * Imports only the control side of the simulator.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Control } from "../control/control.ts";
import { ApiError } from "../errors.ts";
import { act } from "./actions.ts";
import { controlPage } from "./page.ts";
import type { View } from "./page.ts";

const HEADERS = {
  "Cache-Control": "no-store",
  "Content-Security-Policy":
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
};

/** Registers the page and the forms. The password is the control token, with any user name. */
export function registerPage(app: FastifyInstance, control: Control, controlToken: string): void {
  app.get("/", (_request, reply) => reply.redirect("/_simulator/", 302));
  app.get("/_simulator", (request, reply) => {
    if (!knows(request, controlToken)) return ask(reply);
    const page = controlPage(control, request.query as View);
    return reply.headers(HEADERS).type("text/html; charset=utf-8").send(page);
  });
  app.post("/_simulator/do/:action", (request, reply) => {
    if (!knows(request, controlToken)) return ask(reply);
    if (!fromHere(request))
      return reply.code(403).type("text/plain").send("The simulator accepts only forms of its own page\n");
    const query = new URLSearchParams(outcome(control, request));
    return reply.redirect(`/_simulator/?${query.toString()}`, 303);
  });
}

function outcome(control: Control, request: FastifyRequest): Record<string, string> {
  const { action = "" } = request.params as Record<string, string>;
  const form = new URLSearchParams(typeof request.body === "string" ? request.body : "");
  const kind = form.get("table");
  try {
    return { ...(kind !== null && { kind }), done: act(control, action, form) };
  } catch (error) {
    if (!(error instanceof ApiError)) return { wrong: (error as Error).message };
    return { wrong: error.errors.map(({ field, reason }) => (field ? `${field}: ${reason}` : reason)).join("; ") };
  }
}

function knows(request: FastifyRequest, controlToken: string): boolean {
  const [scheme, credentials = ""] = (request.headers.authorization ?? "").split(" ");
  const given = Buffer.from(credentials, "base64").toString("utf8");
  const password = given.slice(given.indexOf(":") + 1);
  return scheme?.toLowerCase() === "basic" && timingSafeEqual(digest(password), digest(controlToken));
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function ask(reply: FastifyReply): FastifyReply {
  const realm = 'Basic realm="The control token is the password", charset="UTF-8"';
  return reply
    .code(401)
    .header("WWW-Authenticate", realm)
    .type("text/plain")
    .send("Enter the control token as the password\n");
}

/** Returns true if a form comes from this page. A browser sends the password with forms of any page, but names the origin. */
function fromHere({ headers }: FastifyRequest): boolean {
  const { origin = "", host } = headers;
  return URL.canParse(origin) && new URL(origin).host === host;
}
