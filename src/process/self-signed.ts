import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isIP } from "node:net";

/** A certificate and its key, as PEM. */
export interface CertificateAndKey {
  cert: string;
  key: string;
}

const dayMs = 86_400_000;
const validMs = 90 * dayMs;
const renewMs = 30 * dayMs;

/**
 * Returns a self-signed certificate, and a new certificate after 30 days. A certificate is valid for 90 days: a
 * connection never meets an expired certificate.
 */
export function ownCertificate(hosts: [string, ...string[]], now: () => Date): () => CertificateAndKey {
  let madeAt = now();
  let current = selfSigned(hosts, madeAt);
  return () => {
    const at = now();
    if (at.getTime() - madeAt.getTime() < renewMs) return current;
    [madeAt, current] = [at, selfSigned(hosts, at)];
    return current;
  };
}

/**
 * Returns a self-signed server certificate, valid for 90 days, for encryption only; clients cannot verify the
 * certificate. The code encodes DER by hand: Node has no function for certificates, and libraries are larger than the
 * operator.
 *
 * @param hosts names and IPv4 addresses; the first host is the subject
 */
export function selfSigned(hosts: [string, ...string[]], now: Date): CertificateAndKey {
  const nowMs = now.getTime();
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const name = sequence(set(sequence(oid.commonName, utf8(hosts[0]))));
  const names = hosts.map((host) => (isIP(host) === 4 ? tagged(0x87, ipv4(host)) : tagged(0x82, Buffer.from(host))));
  const content = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    // The first bit stays clear, so that the number is positive.
    integer(Buffer.concat([Buffer.from([0x40]), randomBytes(15)])),
    sequence(oid.ecdsaWithSha256),
    name,
    sequence(time(nowMs - 60_000), time(nowMs + validMs)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    tagged(
      0xa3,
      sequence(
        extension(oid.subjectAltName, sequence(...names)),
        extension(oid.extendedKeyUsage, sequence(oid.serverAuth)),
      ),
    ),
  );
  const signature = sign("sha256", content, privateKey);
  const certificate = sequence(content, sequence(oid.ecdsaWithSha256), tagged(0x03, Buffer.from([0]), signature));
  return { cert: pem(certificate), key: privateKey.export({ type: "pkcs8", format: "pem" }).toString() };
}

/** Object identifiers of RFC 5280 and RFC 5758, encoded. */
const oid = {
  commonName: Buffer.from("0603550403", "hex"),
  subjectAltName: Buffer.from("0603551d11", "hex"),
  extendedKeyUsage: Buffer.from("0603551d25", "hex"),
  serverAuth: Buffer.from("06082b06010505070301", "hex"),
  ecdsaWithSha256: Buffer.from("06082a8648ce3d040302", "hex"),
};

/** Encodes tag, length and content as DER. */
function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const size = body.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...parts: Buffer[]): Buffer => tagged(0x30, ...parts);
const set = (...parts: Buffer[]): Buffer => tagged(0x31, ...parts);
const integer = (bytes: Buffer): Buffer => tagged(0x02, bytes);
const utf8 = (text: string): Buffer => tagged(0x0c, Buffer.from(text));
const ipv4 = (address: string): Buffer => Buffer.from(address.split(".").map(Number));
const extension = (id: Buffer, value: Buffer): Buffer => sequence(id, tagged(0x04, value));

/** Encodes a UTCTime until the end of 2049, and a GeneralizedTime later, as RFC 5280 requires. */
function time(ms: number): Buffer {
  const text = `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:T]/g, "")}Z`;
  return text < "2050" ? tagged(0x17, Buffer.from(text.slice(2))) : tagged(0x18, Buffer.from(text));
}

function pem(der: Buffer): string {
  const lines = der.toString("base64").replaceAll(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
