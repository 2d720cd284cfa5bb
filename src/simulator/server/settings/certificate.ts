import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";

/** Certificate and key of an HTTPS server, in PEM format. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * Reads a certificate and a key from files.
 *
 * @throws the error from `wrong`, with the invalid file and a message of one line
 */
export function readCertificate(
  files: { cert: string; key: string },
  wrong: (which: "cert" | "key", message: string) => Error,
): Certificate {
  const cert = read(files.cert, (message) => wrong("cert", message));
  const key = read(files.key, (message) => wrong("key", message));
  const shown = parsed(
    () => new X509Certificate(cert),
    wrong("cert", `${files.cert} holds no certificate in PEM form`),
  );
  const secret = parsed(() => createPrivateKey(key), wrong("key", `${files.key} holds no private key in PEM form`));
  if (!shown.checkPrivateKey(secret)) throw wrong("key", `${files.key} is not the key of ${files.cert}`);
  return { cert, key };
}

function read(path: string, wrong: (message: string) => Error): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw wrong(code === "ENOENT" ? `there is no file ${path}` : `${path} cannot be read (${code})`);
  }
}

function parsed<T>(parse: () => T, error: Error): T {
  try {
    return parse();
  } catch {
    throw error;
  }
}
