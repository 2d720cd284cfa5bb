import type { FastifyRequest } from "fastify";
import type { World } from "../world.ts";

/** Carries out one request of the control side; what it returns is the answer, nothing is `{}`. */
export type Act = (body: unknown, request: FastifyRequest) => unknown;

/**
 * What one area lets happen behind the client's back. A file of the area exports it; the functions are then found at
 * `control.<area>`, and the routes below `/_simulator`.
 */
export interface AreaControl<Verbs> {
  /** The functions, for one account. */
  verbs(world: World, account: string): Verbs;
  /** The same over HTTP, by method and path: `POST /volumes`. */
  routes(verbs: Verbs): Readonly<Record<string, Act>>;
}

/** The parameters of the path of a request. */
export function paramsOf(request: FastifyRequest): Record<string, string> {
  return request.params as Record<string, string>;
}
