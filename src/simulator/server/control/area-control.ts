import type { FastifyRequest } from "fastify";
import type { World } from "../world.ts";

/** Runs one request of the control side. The return value is the response, by default `{}`. */
export type Act = (body: unknown, request: FastifyRequest) => unknown;

/**
 * Changes that an area offers without a client's request.
 * A file of the area exports the object. The functions appear at `control.<area>`, and the routes below `/_simulator`.
 */
export interface AreaControl<Verbs> {
  /** Returns the functions for one account. */
  verbs(world: World, account: string): Verbs;
  /** Returns the HTTP routes by method and path, such as `POST /volumes`. */
  routes(verbs: Verbs): Readonly<Record<string, Act>>;
}

/** Returns the path parameters of a request. */
export function paramsOf(request: FastifyRequest): Record<string, string> {
  return request.params as Record<string, string>;
}
