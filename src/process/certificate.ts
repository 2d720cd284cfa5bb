import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import type { Log } from "../queue/log.ts";
import type { CertificateAndKey } from "./self-signed.ts";

/** Returns the certificate of a server. Returns the same object until the certificate changes. */
export type ServingCertificate = () => CertificateAndKey;

/**
 * Serves the pair in `tls.crt` and `tls.key` of a folder, as Kubernetes mounts a Secret. Reads the files again after a
 * change. If certificate and key do not match yet, keeps the last pair, logs the problem once, and reads again for the
 * next connection.
 *
 * @throws Error with one line if the folder has no usable pair at the start
 */
export function certificateIn(folder: string, log: Pick<Log, "info" | "warn">): ServingCertificate {
  let state = stateOf(folder);
  let current = readPair(folder);
  let complained = "";
  return () => {
    try {
      const now = stateOf(folder);
      if (now === state) return current;
      const next = readPair(folder);
      if (next.cert !== current.cert) log.info({ folder }, "loaded the new certificate of the metrics");
      [state, current, complained] = [now, next, ""];
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== complained)
        log.warn({ folder, error: message }, "cannot use the new certificate; serving the previous certificate");
      complained = message;
    }
    return current;
  };
}

function readPair(folder: string): CertificateAndKey {
  const [cert, key] = paths(folder).map((path) => readFileSync(path, "utf8"));
  const pair = { cert: cert ?? "", key: key ?? "" };
  // Throws if certificate and key do not match.
  createSecureContext(pair);
  return pair;
}

/** Returns a text that differs after a file was written or replaced. Follows the links of a mounted Secret. */
function stateOf(folder: string): string {
  return paths(folder)
    .map((path) => statSync(path))
    .map(({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`)
    .join(", ");
}

const paths = (folder: string): string[] => ["tls.crt", "tls.key"].map((name) => join(folder, name));
