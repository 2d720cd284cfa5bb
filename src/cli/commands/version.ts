/** `version`: the version of the program. */
import { programVersion } from "../../process/configuration.ts";
import type { CommandDefinition } from "../command.ts";
import { exitCodes } from "../failure.ts";

export const version: CommandDefinition = {
  name: "version",
  summary: "Prints the version of this program.",
  examples: [
    ["version", "prints the version"],
    ["version -o json", "prints the version as JSON"],
  ],
  formats: ["table", "json"],
  run({ terminal }, _, { output }) {
    terminal.data(output === "json" ? `${JSON.stringify({ version: programVersion })}\n` : `${programVersion}\n`);
    return Promise.resolve(exitCodes.ok);
  },
};
