import type { FastifyInstance } from "fastify";
import type { World } from "../world.ts";

/** Routes of an area beside the API's operations, where URLs lead that the API hands out. Exported by a file of the area. */
export interface Mount {
  /** What faults and the ledger call them, as `operationName` does: `PUT /uploads/images/{number}`. */
  readonly operations: readonly string[];
  mount(app: FastifyInstance, world: World): void;
  /** The path at which this server serves what came for another host name; absent: no host name counts. */
  pathOfHost?(world: World, host: string | undefined, url: string): string;
}
