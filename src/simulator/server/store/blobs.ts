import { createHash } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";

/** Stores the contents of objects by SHA-256. Contents are not in memory and not in snapshots. */
export class Blobs {
  readonly #put: StatementSync;
  readonly #get: StatementSync;

  /** Opens the table and deletes contents without an object. */
  constructor(database: DatabaseSync) {
    database.exec("CREATE TABLE IF NOT EXISTS blobs (digest TEXT PRIMARY KEY, bytes BLOB NOT NULL)");
    database.exec(`DELETE FROM blobs WHERE digest NOT IN
      (SELECT json_extract(body, '$.digest') FROM rows WHERE kind = 'object')`);
    this.#put = database.prepare("INSERT OR IGNORE INTO blobs (digest, bytes) VALUES (?, ?)");
    this.#get = database.prepare("SELECT bytes FROM blobs WHERE digest = ?");
  }

  /** Stores the bytes in the current transaction. Returns the digest. */
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
