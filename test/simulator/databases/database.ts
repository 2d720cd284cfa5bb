import type { Running } from "../running.ts";

/** The smallest body of a database. */
export const SHOP = { label: "shop", engine: "mysql/8.0.30", region: "us-east", type: "g6-standard-1" };

export const MYSQL = "/databases/mysql/instances";

/** The longest that a database takes to be provisioned, milliseconds. */
export const PROVISIONING = 30 * 60_000;

/** A database that has just been provisioned; answers its path. */
export async function activeDatabase(simulator: Running, body: Record<string, unknown> = {}): Promise<string> {
  const { id } = await simulator.ok("POST", MYSQL, { ...SHOP, ...body });
  await simulator.clock.advance(PROVISIONING);
  return `${MYSQL}/${String(id)}`;
}
