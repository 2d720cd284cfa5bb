/*
 * The simulator as a program: flags and environment → startSimulator → signals.
 * It is the only file of the room that reads process.env.
 */
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { startSimulator } from "./simulator.ts";
import type { SimulatorOptions } from "./simulator.ts";

interface Flags {
  port: number;
  host: string;
  brandWord: string;
  timeScale: number;
  database: string;
  token?: string;
  controlToken?: string;
  rateLimits: "on" | "off";
}

/** Exit status for a wrong setting. */
const WRONG_USAGE = 2;

await main();

async function main(): Promise<void> {
  const flags = readFlags();
  const { rateLimits, ...rest } = flags;
  const options: SimulatorOptions = { ...rest, rateLimits: rateLimits === "on" };
  const simulator = await startSimulator(options).catch((error: unknown) => {
    process.stderr.write(
      `cloud-platform-simulator: cannot start: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    process.exit(1);
  });
  const example = `curl -H 'Authorization: Bearer ${simulator.token}' ${simulator.url}/v4/profile`;
  process.stdout.write(`cloud-platform-simulator: listening on ${simulator.url}\n`);
  process.stdout.write(`cloud-platform-simulator: token ${simulator.token}, control token ${simulator.controlToken}\n`);
  process.stdout.write(`cloud-platform-simulator: try ${example}\n`);
  const stop = (): void => {
    void simulator.close().then(() => process.exit(0));
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

function readFlags(): Flags {
  const command = new Command("cloud-platform-simulator")
    .description(
      "A simulator of the cloud's HTTP API. Every flag can be given as CLOUD_SIMULATOR_<FLAG> in the environment.",
    )
    .addOption(
      setting("--port <number>", "port to listen on; 0 takes a free one").default(8090).argParser(numberIn(0, 65_535)),
    )
    .addOption(setting("--host <address>", "address to listen on").default("127.0.0.1"))
    .addOption(
      setting("--brand-word <word>", "the service's brand in paths and fields").default("compute").argParser(brandWord),
    )
    .addOption(
      setting("--time-scale <number>", "divides the durations of jobs")
        .default(1)
        .argParser(numberIn(0.001, 1_000_000)),
    )
    .addOption(setting("--database <file>", "file that keeps everything, or :memory:").default(":memory:"))
    .addOption(setting("--token <secret>", "token of the demo account; default: a random one"))
    .addOption(setting("--control-token <secret>", "token of /_simulator; default: a random one"))
    .addOption(setting("--rate-limits <on|off>", "whether requests are counted").default("on").choices(["on", "off"]))
    .version(manifest.version, "--version", "print the version")
    .exitOverride()
    .configureOutput({
      writeErr: (text) => process.stderr.write(`cloud-platform-simulator: ${text.trim().split("\n")[0]}\n`),
    });
  try {
    return command.parse().opts<Flags>();
  } catch (error) {
    process.exit(error instanceof CommanderError && error.exitCode === 0 ? 0 : WRONG_USAGE);
  }
}

function setting(flags: string, description: string): Option {
  const name = flags.slice(2).split(" ")[0] ?? "";
  return new Option(flags, description).env(`CLOUD_SIMULATOR_${name.replaceAll("-", "_").toUpperCase()}`);
}

function numberIn(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() === "" || !(value >= least && value <= most))
      throw new InvalidArgumentError(`It must be ${least} to ${most}.`);
    return value;
  };
}

function brandWord(text: string): string {
  if (!/^[a-z][a-z0-9]*$/.test(text)) throw new InvalidArgumentError("It must be lower-case letters and digits.");
  return text;
}
