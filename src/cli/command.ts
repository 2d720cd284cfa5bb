/** Definition of a command. Each file in `commands/` exports one. */
import type { Option } from "commander";
import type { Format } from "./output/table.ts";
import type { Flags } from "./flags.ts";
import type { Session } from "./session.ts";

export interface CommandDefinition {
  /** Words of the command, such as `import terraform`. */
  name: string;
  /** Arguments in the notation of commander, such as `[kind] [id]`. */
  arguments?: string;
  /** One line for the list of commands. */
  summary: string;
  /** Paragraphs for `--help`, after the summary. */
  description?: string;
  /** Two examples for `--help`: the arguments after the name of the program, and the effect. */
  examples: readonly [Example, Example];
  /** The formats of `-o`, the default first. Empty for a command without the option. */
  formats: readonly Format[];
  options?: readonly Option[];
  /** True for a command that changes something: the command has --yes and --dry-run. */
  changes?: true;
  /**
   * Runs the command. Returns the exit code; see `exitCodes`. Throws `Failure` or an error of `api` or `cluster`.
   * `options`: the values of `options`, and of the options of every command.
   */
  run: (session: Session, args: readonly (string | undefined)[], options: OptionValues) => Promise<number>;
}

export type Example = readonly [command: string, effect: string];

export type OptionValues = Flags & Record<string, unknown>;
