/**
 * Room `process`: one running process, with configuration, time, log, metrics, health and shutdown.
 *
 * Guarantees that no other room reads the environment, the command line or the clock. May import types of other rooms,
 * and libraries for logging, metrics and the command line. Only src/main.ts may import this room.
 */
import { Command, CommanderError, Option } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { settings } from "./settings.ts";
import type { Setting } from "./settings.ts";

export const programVersion: string = manifest.version;

type Table = typeof settings;
type ValueOf<S> = S extends { many: true; parse: (raw: string) => infer T }
  ? T[]
  : S extends Setting<infer T>
    ? S["fallback"] extends string
      ? T
      : T | undefined
    : never;

/** Settings by name. A setting without a default may be undefined. A repeatable setting is a list. */
export type Configuration = { [Name in keyof Table]: ValueOf<Table[Name]> };

/**
 * Thrown for a wrong configuration (exit code 2), or for `--help` and `--version` (0). The message is for the terminal.
 */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Settings of the command `guard`, which checks whether an uninstallation would leave objects that need the operator.
 */
export type GuardConfiguration = Pick<Configuration, (typeof guardSettings)[number]>;
const guardSettings = ["kubeconfig", "namespaces"] as const;

export type Order = { command: "run"; settings: Configuration } | { command: "guard"; settings: GuardConfiguration };

/**
 * Reads the command line, then the environment, then the defaults.
 *
 * @throws ConfigurationError whose message is one line with the setting, or the help text
 */
export function readOrder(args: string[], environment: NodeJS.ProcessEnv): Order {
  const [command, ...rest] = args;
  if (command !== "guard") return { command: "run", settings: readConfiguration(args, environment) };
  const table = Object.fromEntries(guardSettings.map((name) => [name, settings[name]]));
  // `valuesOf` creates a value of the right type for each row of the table.
  return { command, settings: valuesOf(table, guardCommand, rest, environment) as GuardConfiguration };
}

/** Reads the settings of the operator, like `readOrder`. */
export function readConfiguration(args: string[], environment: NodeJS.ProcessEnv): Configuration {
  return checked(valuesOf(settings, operatorCommand, args, environment) as Configuration);
}

/** Returns the command of this process. Prints an error or the help and exits if the command line is not valid. */
export function orderOfProcess(): Order {
  try {
    return readOrder(process.argv.slice(2), process.env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return end(error);
  }
}

const operatorCommand = {
  name: "cloud-platform-operator",
  doc: "Runs a cloud account from Kubernetes custom resources. With `guard` as the first argument, checks whether objects still need the operator. Exits with 1 if objects need the operator.",
};
const guardCommand = {
  name: "cloud-platform-operator guard",
  doc: "Exits with 1, and prints remedies, while objects need the operator for their deletion.",
};

function valuesOf(
  table: Record<string, Setting<unknown>>,
  command: { name: string; doc: string },
  args: string[],
  environment: NodeJS.ProcessEnv,
): Record<string, unknown> {
  const given = flagsOf(table, command, args);
  const entries = Object.entries(table).map(([name, each]) => {
    const variable = [each.variable, ...(each.also ?? [])].map((one) => environment[one]).find(Boolean);
    return [name, valueOf(each, given[name] ?? fromVariable(each, variable))] as const;
  });
  return Object.fromEntries(entries);
}

/** Runs a function with a setting. If the function fails, exits with code 2 and a line that names the setting. */
export async function using<T>(name: keyof Table, use: () => T | Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    return end(error instanceof ConfigurationError ? error : settingError(name, error));
  }
}

/** Returns the error for a setting that failed in use, with the first line of the cause. */
export function settingError(name: keyof Table, cause: unknown): ConfigurationError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return wrong(settings[name], message.split("\n")[0] ?? "");
}

function end(error: ConfigurationError): never {
  (error.exitCode === 0 ? process.stdout : process.stderr).write(`${error.message}\n`);
  process.exit(error.exitCode);
}

/** Returns the flags of the command line: a text, or a list of texts for a repeatable setting. */
function flagsOf(
  table: Record<string, Setting<unknown>>,
  { name: program, doc }: { name: string; doc: string },
  args: string[],
): Record<string, string | string[]> {
  let written = "";
  const write = (part: string): void => void (written += part);
  const command = new Command(program)
    .description(doc)
    .helpOption("--help", "this text")
    .version(programVersion, "--version", "the version")
    .configureOutput({ writeOut: write, writeErr: write })
    .exitOverride();
  for (const [name, each] of Object.entries(table)) command.addOption(optionOf(name, each));
  try {
    return command.parse(args, { from: "user" }).opts();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const text = written.trim().replace(/^error: /, "");
    // Help keeps its lines. Other errors become one line, including a suggested flag.
    throw error.exitCode === 0
      ? new ConfigurationError(text, 0)
      : new ConfigurationError(text.replaceAll(/(?<!\s)\s*\n\s*/g, " "), 2);
  }
}

function optionOf(name: string, { flag, variable, fallback, doc, many }: Setting<unknown>): Option {
  const note = fallback === undefined ? "" : `, default ${fallback}`;
  const option = new Option(flag, `${doc} (${variable}${note})`);
  option.attributeName = () => name;
  if (many === true) option.argParser((raw: string, before: string[] | undefined) => [...(before ?? []), raw]);
  return option;
}

function fromVariable(
  { many, fallback }: Setting<unknown>,
  variable: string | undefined,
): string | string[] | undefined {
  const source = variable === undefined || variable === "" ? fallback : variable;
  if (many !== true) return source;
  return (source ?? "").split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()]));
}

function valueOf(setting: Setting<unknown>, raw: string | string[] | undefined): unknown {
  if (raw === undefined) return undefined;
  return Array.isArray(raw) ? raw.map((each) => parsed(setting, each)) : parsed(setting, raw);
}

function parsed(setting: Setting<unknown>, raw: string): unknown {
  try {
    return setting.parse(raw);
  } catch (error) {
    const shown = raw.replace(/\/\/[^/@]*@/, "//(hidden)@");
    throw wrong(setting, `${error instanceof Error ? error.message : String(error)}, not "${shown}"`);
  }
}

function checked(configuration: Configuration): Configuration {
  const names = configuration.endpoints.map((each) => each.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  const roots = configuration.endpoints.map(({ url }) => rootOf(url));
  const same = roots.findIndex((root, index) => roots.indexOf(root) !== index);
  const { endpointCAs, endpointLimits } = configuration;
  const isStray = ({ name }: { name: string }): boolean => !names.includes(name);
  const [ca, limit] = [endpointCAs.find(isStray), endpointLimits.find(isStray)];
  if (names.length === 0)
    throw wrong(settings.endpoints, "name an endpoint, for example default=https://api.example.org");
  if (twice !== undefined) throw wrong(settings.endpoints, `"${twice}" is named twice`);
  // Objects of one endpoint would not know the cloud objects of the second endpoint.
  if (same >= 0) {
    const both = `"${names[roots.indexOf(roots[same] ?? "")]}" and "${names[same]}"`;
    const why = "objects of an account would not see the cloud objects of the second endpoint";
    throw wrong(settings.endpoints, `${both} are the same cloud API: ${why}. Remove one endpoint`);
  }
  if (ca !== undefined) throw wrong(settings.endpointCAs, `there is no endpoint "${ca.name}"`);
  if (limit !== undefined) throw wrong(settings.endpointLimits, `there is no endpoint "${limit.name}"`);
  return configuration;
}

/** Normalises the URL of an endpoint. */
function rootOf(url: string): string {
  return new URL(url).href.replace(/(?<!\/)\/+$/, "").replace(/\/v4(beta)?$/, "");
}

function wrong({ flag, variable }: Setting<unknown>, message: string): ConfigurationError {
  return new ConfigurationError(`${flag.split(" ")[0]} (${variable}): ${message}`, 2);
}
