/** The certificate and its key in a Secret of type kubernetes.io/tls. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import type { JsonObject } from "../../api/types.ts";
import { Invalid, Waiting } from "../../core/kind/outcome.ts";

interface Source {
  spec: { secretRef: { name: string } };
  refs: { certificate: string | undefined; key: string | undefined };
}

/** Returns texts about the existing certificate and about the certificate of the Secret. They contain no secret. */
export function certificateWords({ spec: { secretRef }, refs }: Source, { notAfter }: JsonObject) {
  const expires = typeof notAfter === "string" ? ` that expires ${notAfter}` : "";
  return {
    before: `certificate${expires}`,
    after: `certificate of Secret ${secretRef.name} that expires ${expiryOf(refs.certificate)}`,
  };
}

/** Returns the keyed digest of the certificate and its key. */
export function digestsOf({ digest, ...source }: Source & { digest: (value: string) => string }): {
  certificate: string;
} {
  const { certificate, private_key: key } = pairOf(source);
  return { certificate: digest(`${certificate}\n${key}`) };
}

/** Returns the certificate and its key. Throws if the Secret does not contain a certificate and its key. */
export function pairOf({ spec: { secretRef }, refs }: Source): { certificate: string; private_key: string } {
  const certificate = textOf(refs.certificate, `key tls.crt of Secret ${secretRef.name}`);
  const key = textOf(refs.key, `key tls.key of Secret ${secretRef.name}`);
  const parsed = attempt(() => new X509Certificate(certificate));
  if (!parsed) throw unfit(secretRef.name, "tls.crt", "is not a certificate in PEM format");
  const parsedKey = attempt(() => createPrivateKey(key));
  if (!parsedKey) throw unfit(secretRef.name, "tls.key", "is not a private key in PEM format without a passphrase");
  if (!parsed.checkPrivateKey(parsedKey)) throw unfit(secretRef.name, "tls.key", "is not the key of tls.crt");
  return { certificate, private_key: key };
}

function textOf(base64: string | undefined, what: string): string {
  if (base64 !== undefined) return Buffer.from(base64, "base64").toString("utf8");
  throw new Waiting(
    "WaitingForSecret",
    `${what} does not exist. The certificate in the cloud is not changed. Create the Secret with this key`,
  );
}

function unfit(secret: string, key: string, why: string): Invalid {
  return new Invalid(
    "spec.secretRef",
    `key ${key} of Secret ${secret} ${why}. The operator uploads nothing. Correct the Secret`,
  );
}

/** Returns the expiry of a certificate. Undefined if the text is not a certificate. */
export function expiryOf(certificate: string | undefined): string | undefined {
  const text = Buffer.from(certificate ?? "", "base64").toString("utf8");
  return attempt(() => new X509Certificate(text).validToDate.toISOString());
}

function attempt<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
