/*
 * Reads the settings of the simulator: flags, environment, certificate files.
 * Guarantees: the error of an invalid setting is one line that names the setting.
 * Imports no other folder of the simulator.
 */
import { isIP } from "node:net";
import { Command, CommanderError, Option } from "commander";
import manifest from "../../../../package.json" with { type: "json" };
import { readCertificate } from "./certificate.ts";
import type { Certificate } from "./certificate.ts";
import { settingsTable } from "./settings-table.ts";
import type { Setting } from "./settings-table.ts";

export const PROGRAM = "cloud-platform-simulator";

type SettingsTable = typeof settingsTable;
type Values = {
  [Name in keyof SettingsTable]: SettingsTable[Name] extends { parse: (raw: string) => infer T; fallback: infer F }
    ? F extends string
      ? T
      : T | undefined
    : never;
};

export interface Settings extends Omit<Values, "tlsCert" | "tlsKey"> {
  /** Reads the certificate and the key. Undefined without TLS. */
  readonly certificate: (() => Certificate) | undefined;
}

/** Invalid settings (exit code 2), or a request for help or the version (exit code 0). The message is for the terminal. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  readonly exitCode: number;

  constructor(message: string, exitCode = 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Reads the command line, then the environment, then the defaults. An empty variable is ignored.
 *
 * @throws SettingsError with one line that names the setting, or with the help text
 */
export function readSettings(args: string[], environment: NodeJS.ProcessEnv): Settings {
  const flags = flagsOf(args);
  const entries = Object.entries<Setting<unknown>>(settingsTable).map(([name, each]) => {
    const raw = flags[name] ?? (environment[each.variable] || each.fallback);
    return [name, raw === undefined ? undefined : parsed(each, raw)];
  });
  // Each entry has the type of the table's row.
  const { tlsCert, tlsKey, ...rest } = Object.fromEntries(entries) as Values;
  return { ...rest, certificate: certificateOf(tlsCert, tlsKey) };
}

/**
 * Returns a SettingsError with one line. If a setting caused the failed start, names the setting and has exit code 2.
 * Otherwise has exit code 1.
 */
export function startError(error: unknown, { host, port, database }: Settings): SettingsError {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") return wrong("port", `${port} is in use by another program; 0 selects a free port`);
  if (code === "EACCES") return wrong("port", `${port} needs more privileges; ports from 1024 do not`);
  if (["EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN", "EINVAL"].includes(code))
    return wrong("host", `this machine has no address ${host}`);
  if (code === "ERR_SQLITE_ERROR") return wrong("database", `${database} cannot be used: ${message}`);
  return new SettingsError(`cannot start: ${message.split("\n")[0]}`, 1);
}

/** Returns true if only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));
}

function flagsOf(args: string[]): Record<string, string> {
  let written = "";
  const write = (part: string): void => void (written += part);
  const command = new Command(PROGRAM)
    .description("Simulates the HTTP API of the cloud on this machine, to test clients without an account or costs.")
    .helpOption("--help", "show this help")
    .version(manifest.version, "--version", "show the version")
    .configureOutput({ writeOut: write, writeErr: write, getOutHelpWidth: () => 100 })
    .exitOverride();
  for (const [name, each] of Object.entries<Setting<unknown>>(settingsTable)) command.addOption(optionOf(name, each));
  try {
    return command.parse(args, { from: "user" }).opts();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const text = written.trim().replace(/^error: /, "");
    // Help keeps line breaks. An error becomes one line, including the suggestion of a flag.
    throw new SettingsError(
      error.exitCode === 0 ? text : text.replaceAll(/(?<!\s)\s*\n\s*/g, " "),
      error.exitCode && 2,
    );
  }
}

function optionOf(name: string, { flag, variable, fallback, doc }: Setting<unknown>): Option {
  const option = new Option(flag, `${doc} (${variable}${fallback === undefined ? "" : `, default ${fallback}`})`);
  option.attributeName = () => name;
  return option;
}

function parsed({ flag, variable, parse }: Setting<unknown>, raw: string): unknown {
  try {
    return parse(raw);
  } catch (error) {
    throw new SettingsError(`${flag.split(" ")[0]} (${variable}): ${(error as Error).message}`);
  }
}

function certificateOf(cert: string | undefined, key: string | undefined): (() => Certificate) | undefined {
  if (cert === undefined && key === undefined) return undefined;
  if (key === undefined) throw wrong("tlsKey", "is missing; --tls-cert needs a key");
  if (cert === undefined) throw wrong("tlsCert", "is missing; --tls-key needs a certificate");
  return () =>
    readCertificate({ cert, key }, (name, message) => wrong(name === "cert" ? "tlsCert" : "tlsKey", message));
}

function wrong(name: keyof SettingsTable, message: string): SettingsError {
  const { flag, variable } = settingsTable[name];
  return new SettingsError(`${flag.split(" ")[0]} (${variable}): ${message}`);
}
