import type { FastifyInstance } from "fastify";
import type { World } from "../world.ts";

/** Routes of an area outside the API's operations, for URLs in responses. A file of the area exports the mount. */
export interface Mount {
  /** Names for faults and the ledger, such as `PUT /uploads/images/{number}`. */
  readonly operations: readonly string[];
  mount(app: FastifyInstance, world: World): void;
  /** Returns the path on this server for a request to another host name. Absent: the host name does not matter. */
  pathOfHost?(world: World, host: string | undefined, url: string): string;
}
