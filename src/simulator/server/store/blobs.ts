import { createHash } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";

/** Contents of objects by their SHA-256, beside the rows: they are not kept in memory, nor in snapshots. */
export class Blobs {
  readonly #put: StatementSync;
  readonly #get: StatementSync;

  /** Contents that no object of the file has any more go at the start. */
  constructor(database: DatabaseSync) {
    database.exec("CREATE TABLE IF NOT EXISTS blobs (digest TEXT PRIMARY KEY, bytes BLOB NOT NULL)");
    database.exec(`DELETE FROM blobs WHERE digest NOT IN
      (SELECT json_extract(body, '$.digest') FROM rows WHERE kind = 'object')`);
    this.#put = database.prepare("INSERT OR IGNORE INTO blobs (digest, bytes) VALUES (?, ?)");
    this.#get = database.prepare("SELECT bytes FROM blobs WHERE digest = ?");
  }

  /** Keeps the bytes, as part of a transaction under way; answers the digest. */
  put(bytes: Uint8Array): string {
    const digest = createHash("sha256").update(bytes).digest("hex");
    this.#put.run(digest, bytes);
    return digest;
  }

  get(digest: string): Buffer | undefined {
    const bytes = this.#get.get(digest)?.["bytes"];
    return bytes instanceof Uint8Array ? Buffer.from(bytes) : undefined;
  }
}
