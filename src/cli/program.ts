/**
 * Room `cli`: the command line `cloudplatform`, also as `kubectl cloudplatform`.
 *
 * Guarantees: data goes to stdout, all other text goes to stderr. No command sends a request that changes the cloud: the type of
 * the client permits only reads. No output contains a part of a Secret. Ctrl-C leaves no partial file. The exit code is 0, 1
 * for an error, 2 for differences, 3 for a condition of --fail-on.
 *
 * The room imports values of `kinds`, `core`, `api`, `cluster`, `observe`, `generate`, `process` and `twin`. Each file in `commands/` defines one
 * command. main.ts is the program, and the only file that reads the environment.
 */
import { Command, CommanderError } from "commander";
import { programVersion } from "../process/configuration.ts";
import type { Clock } from "../queue/clock.ts";
import type { CommandDefinition, OptionValues } from "./command.ts";
import { adopt } from "./commands/adopt.ts";
import { approve } from "./commands/approve.ts";
import { diff } from "./commands/diff.ts";
import { doctor } from "./commands/doctor.ts";
import { exportCommand } from "./commands/export.ts";
import { importTerraform } from "./commands/import-terraform.ts";
import { orphan } from "./commands/orphan.ts";
import { pause, resume } from "./commands/pause.ts";
import { plan } from "./commands/plan.ts";
import { protect } from "./commands/protect.ts";
import { resources } from "./commands/resources.ts";
import { retry } from "./commands/retry.ts";
import { tree } from "./commands/tree.ts";
import { version } from "./commands/version.ts";
import { why } from "./commands/why.ts";
import { addCompletion, completionExamples } from "./completion.ts";
import { exitCodes, textOf } from "./failure.ts";
import { addChangeFlags, addFlags } from "./flags.ts";
import { createSession } from "./session.ts";
import type { Session } from "./session.ts";
import { createTerminal } from "./terminal.ts";
import type { Ambient } from "./terminal.ts";

/** All commands, in the order of `--help`. */
export const commands: readonly CommandDefinition[] = [
  exportCommand,
  importTerraform,
  diff,
  plan,
  resources,
  tree,
  why,
  approve,
  retry,
  pause,
  resume,
  adopt,
  orphan,
  protect,
  doctor,
  version,
];

const programName = "cloudplatform";

/** Runs the command line and returns its exit code. Never throws. */
export async function runProgram(args: readonly string[], ambient: Ambient, clock: Clock): Promise<number> {
  const terminal = createTerminal(ambient);
  let code: number = exitCodes.ok;
  const kept = new Set<Promise<unknown>>();
  const program = createProgram(ambient, async (command, given, options) => {
    const session = createSession(ambient, clock, options, (work) => void kept.add(work));
    code = await runCommand(command, given, options, session);
  });
  try {
    await Promise.race([program.parseAsync(args, { from: "user" }), interruptionOf(ambient.signal)]);
    return code;
  } catch (error) {
    if (ambient.signal.aborted) {
      await Promise.allSettled(kept);
      return exitCodes.interrupted;
    }
    // Commander has already printed its own message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.error;
    terminal.say(`${terminal.paint("red", "error")}: ${textOf(error)}`);
    return exitCodes.error;
  }
}

/** Rejects when the user presses Ctrl-C: a request in flight can take half a minute. */
function interruptionOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}

async function runCommand(
  command: CommandDefinition,
  args: (string | undefined)[],
  options: OptionValues,
  session: Session,
): Promise<number> {
  try {
    return await command.run(session, args, options);
  } finally {
    session.terminal.progress("");
    await session.close();
  }
}

type Run = (command: CommandDefinition, args: (string | undefined)[], options: OptionValues) => Promise<void>;

function createProgram({ stdout, stderr }: Ambient, run: Run): Command {
  const program = new Command(programName)
    .description("Moves cloud accounts into Kubernetes, and explains what the operator does.")
    .version(programVersion)
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .showHelpAfterError("(add --help for the options)");
  for (const definition of commands) addCommand(program, definition, run);
  addCompletion(program)?.addHelpText("after", examplesText(completionExamples));
  return program;
}

/** Adds a command, with the commands above it, such as `import` for `import terraform`. */
function addCommand(program: Command, definition: CommandDefinition, run: Run): void {
  const words = definition.name.split(" ");
  const parent = words.slice(0, -1).reduce((above, word) => {
    const found = above.commands.find((one) => one.name() === word);
    return found ?? above.command(word).description(`Commands that begin with ${word}.`);
  }, program);
  const command = parent.command(words.at(-1) ?? "");
  if (definition.arguments !== undefined) command.arguments(definition.arguments);
  addFlags(command, definition.formats);
  if (definition.changes) addChangeFlags(command);
  for (const option of definition.options ?? []) command.addOption(option);
  const { summary, description } = definition;
  command
    .summary(summary)
    .description(description === undefined ? summary : `${summary}\n\n${description}`)
    .addHelpText("after", examplesText(definition.examples))
    .action(() => run(definition, command.args, command.opts()));
}

function examplesText(examples: CommandDefinition["examples"]): string {
  const lines = examples.map(([command, effect]) => `  # ${effect}\n  ${programName} ${command}`);
  return `\nExamples:\n${lines.join("\n\n")}`;
}
