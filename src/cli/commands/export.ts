/** `export`: manifests of the cloud objects of the account. */
import { Option } from "commander";
import { notExported } from "../../core/kind/exported.ts";
import type { Kind } from "../../core/kind/owned.ts";
import { kinds } from "../../kinds/registry.ts";
import { createLists } from "../account/lists.ts";
import { readObjects } from "../account/objects.ts";
import type { Missed } from "../account/objects.ts";
import type { CommandDefinition } from "../command.ts";
import { manifestsOf } from "../export/manifests.ts";
import type { Exported } from "../export/manifests.ts";
import { accountNameOf, filesOf, sayRemarks, streamOf } from "../export/written.ts";
import { exitCodes, Failure } from "../failure.ts";
import type { Session } from "../session.ts";

export const exportCommand: CommandDefinition = {
  name: "export",
  arguments: "[kind] [id]",
  summary: "Writes manifests for the cloud objects of the account.",
  description:
    "Without --folder, prints one stream. Each object adopts its cloud object by ID and has the policy Observe, so that the operator changes nothing. References have names. Manifests contain no Secrets: the end of the output lists the Secrets that you must create. The command reads each list of the account once, and lists at the end what it could not read.",
  examples: [
    [
      "export --all --account default --folder manifests",
      "writes one file for each cloud object, with a kustomization.yaml",
    ],
    [
      "export Domain --token-file token --endpoint https://api.example.com",
      "prints the domains of an account without a cluster",
    ],
  ],
  formats: ["yaml", "json", "name"],
  options: [
    new Option("--all", "all kinds"),
    new Option("--folder <folder>", "write one file for each object, in folders by area, with a kustomization.yaml"),
    new Option("--manage", "set the policy Manage instead of Observe"),
    new Option("--full", "write default values, too"),
  ],
  async run(session, [kindName, id], { all, folder, manage, full, output = "yaml" }) {
    const wanted = wantedKinds(kindName, all === true);
    const account = await session.account();
    const lists = createLists(account.reader, (done, begun) =>
      session.terminal.progress(`reading the account: ${done} of ${begun} reads`),
    );
    const { objects, missed } = await readObjects(lists, kinds, wanted);
    const written = new Set(objects.filter((one) => wanted.has(one.kind) && (id === undefined || one.id === id)));
    if (id !== undefined && written.size === 0 && missed.length === 0)
      throw new Failure(`${kindName} ${id} does not exist in the account. Run cloudplatform resources for the IDs`);
    const exported = await manifestsOf(objects, {
      written,
      policy: manage === true ? "Manage" : "Observe",
      full: full === true,
      namespace: session.flags.namespace,
      account: accountNameOf(account.name),
      lists,
      turn: () => session.clock.turn(),
    });
    if (typeof folder === "string") await session.write(folder, filesOf(exported));
    else session.terminal.data(streamOf(exported, output));
    return finish(session, exported, missed);
  },
};

function wantedKinds(name: string | undefined, all: boolean): ReadonlySet<Kind> {
  if (name === undefined && all) return new Set(kinds.filter((kind) => notExported(kind) === undefined));
  if (name === undefined) throw new Failure("name a kind, such as export Domain, or use --all for all kinds");
  if (all) throw new Failure("--all and a kind exclude each other. Remove one of them");
  const word = name.toLowerCase();
  const kind = kinds.find((one) => [one.kind.toLowerCase(), one.plural, ...one.shortNames].includes(word));
  if (!kind) throw new Failure(`no kind has the name ${name}. Use one of: ${exportable().join(", ")}`);
  const why = notExported(kind);
  if (why !== undefined)
    throw new Failure(`${kind.kind} cannot be exported: ${why}. Use one of: ${exportable().join(", ")}`);
  return new Set([kind]);
}

function exportable(): string[] {
  return kinds.filter((kind) => notExported(kind) === undefined).map(({ kind }) => kind);
}

/** Reports what the user must know, and returns the exit code. */
function finish({ terminal }: Session, exported: Exported, unread: Missed[]): number {
  const { manifests } = exported;
  const missed = [...unread, ...exported.missed];
  sayRemarks(terminal, exported);
  for (const { what, why } of missed) terminal.say(`${terminal.paint("red", "not exported")}: ${what}: ${why}`);
  const count = `${manifests.length} ${manifests.length === 1 ? "object" : "objects"} exported`;
  terminal.say(missed.length === 0 ? count : `${count}, ${missed.length} failures`);
  return missed.length === 0 ? exitCodes.ok : exitCodes.error;
}
