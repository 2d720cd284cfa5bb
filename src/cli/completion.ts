/** Completion for bash, zsh, fish and PowerShell. */
import tab from "@bomb.sh/tab/commander";
import type { Command } from "commander";
import { nameForKubectl } from "../core/kind/resource.ts";
import { namedKinds } from "./objects.ts";

export const completionExamples = [
  ["completion bash > ~/.local/share/bash-completion/completions/cloudplatform", "installs the completion for bash"],
  [
    "completion fish > ~/.config/fish/completions/cloudplatform.fish",
    "installs the completion for fish; for zsh, use completion zsh > ~/.zfunc/_cloudplatform",
  ],
] as const;

/** Adds the command `completion`, and the hidden command that the scripts call. Offers kinds for each argument `kind`. */
export function addCompletion(program: Command): Command | undefined {
  const root = tab(program, { completionCommandName: "completion" });
  for (const { arguments: given } of root.commands.values()) {
    const kind = given.get("kind");
    if (kind) kind.handler = offerKinds;
  }
  return program.commands.find((one) => one.name() === "completion");
}

function offerKinds(complete: (value: string, description: string) => void): void {
  for (const { kind } of namedKinds) complete(nameForKubectl(kind), "");
}
