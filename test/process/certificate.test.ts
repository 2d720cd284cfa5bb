import { X509Certificate } from "node:crypto";
import { mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { certificateIn } from "../../src/process/certificate.ts";
import { ownCertificate, selfSigned } from "../../src/process/self-signed.ts";
import type { CertificateAndKey } from "../../src/process/self-signed.ts";

const now = new Date("2030-06-01T12:00:00Z");

describe("A self-signed certificate", () => {
  it("is its own issuer, names its hosts, is valid for 90 days and has a key that fits", () => {
    const { cert, key } = selfSigned(["localhost", "pod-1", "127.0.0.1"], now);
    const read = new X509Certificate(cert);
    expect(read.verify(read.publicKey)).toBe(true);
    expect(read.checkIssued(read)).toBe(true);
    expect(read.subject).toBe("CN=localhost");
    expect([read.checkHost("pod-1"), read.checkHost("localhost"), read.checkIP("127.0.0.1")]).not.toContain(undefined);
    expect(read.checkHost("other")).toBeUndefined();
    expect(read.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
    expect([read.validFrom, read.validTo]).toEqual(["Jun  1 11:59:00 2030 GMT", "Aug 30 12:00:00 2030 GMT"]);
    expect(key).toContain("BEGIN PRIVATE KEY");
  });

  it("is another one each time", () => {
    const [one, other] = [selfSigned(["localhost"], now), selfSigned(["localhost"], now)].map(
      ({ cert }) => new X509Certificate(cert),
    );
    expect(one?.serialNumber).not.toBe(other?.serialNumber);
    expect(one?.fingerprint256).not.toBe(other?.fingerprint256);
  });

  it("is valid beyond 2049, where X.509 writes times differently", () => {
    expect(new X509Certificate(selfSigned(["localhost"], new Date("2049-12-01T00:00:00Z")).cert).validTo).toBe(
      "Mar  1 00:00:00 2050 GMT",
    );
  });
});

describe("The operator's own certificate", () => {
  it("stays the same for 30 days, is replaced after them, and is valid whenever it is shown", () => {
    let days = 0;
    const at = () => new Date(now.getTime() + days * 86_400_000);
    const certificate = ownCertificate(["localhost"], at);
    const shown = new Set<string>();
    for (; days <= 365; days += 1) {
      const { cert } = certificate();
      shown.add(cert);
      expect(Date.parse(new X509Certificate(cert).validTo)).toBeGreaterThan(at().getTime());
    }
    expect(shown.size).toBe(13);
  });
});

describe("a certificate in a folder", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "certificate-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const said: string[] = [];
  const log = {
    info: (_: object, text: string) => void said.push(text),
    warn: (_: object, text: string) => void said.push(text),
  };
  beforeEach(() => void said.splice(0));

  /** As the kubelet does: a new folder, and the link that names it replaced in one step. */
  function mount({ cert, key }: CertificateAndKey, generation: number): void {
    mkdirSync(join(folder, `..${generation}`));
    writeFileSync(join(folder, `..${generation}`, "tls.crt"), cert);
    writeFileSync(join(folder, `..${generation}`, "tls.key"), key);
    symlinkSync(`..${generation}`, join(folder, "..next"));
    renameSync(join(folder, "..next"), join(folder, "..data"));
    if (generation > 1) return;
    for (const name of ["tls.crt", "tls.key"]) symlinkSync(join("..data", name), join(folder, name));
  }

  it("is read again when Kubernetes replaced it, and not before", () => {
    const [first, second] = [selfSigned(["a"], now), selfSigned(["b"], now)];
    mount(first, 1);
    const certificate = certificateIn(folder, log);
    const shown = certificate();
    expect(shown).toEqual(first);
    expect(certificate()).toBe(shown);
    mount(second, 2);
    expect(certificate()).toEqual(second);
    expect(said).toEqual(["loaded the new certificate of the metrics"]);
  });

  it("stays for as long as the new files do not fit together or are gone, which is said once", () => {
    const [first, second] = [selfSigned(["a"], now), selfSigned(["b"], now)];
    mount(first, 1);
    const certificate = certificateIn(folder, log);
    mount({ cert: second.cert, key: first.key }, 2);
    expect([certificate(), certificate()]).toEqual([first, first]);
    expect(said).toEqual(["cannot use the new certificate; serving the previous certificate"]);
    mount(second, 3);
    expect(certificate()).toEqual(second);
    unlinkSync(join(folder, "..data"));
    expect(certificate()).toEqual(second);
  });

  it("must be there from the start", () => {
    expect(() => certificateIn(folder, log)).toThrow("tls.crt");
  });
});
