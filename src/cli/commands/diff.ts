/** `diff`: manifests compared with the cloud, field by field. */
import { Option } from "commander";
import type { Json } from "../../api/types.ts";
import { notExported } from "../../core/kind/exported.ts";
import { statusOf } from "../../core/kind/object.ts";
import type { Kind } from "../../core/kind/owned.ts";
import { kindsOf } from "../../core/kind/reference.ts";
import { resourceOf } from "../../core/kind/resource.ts";
import { kinds } from "../../kinds/registry.ts";
import { createLists } from "../account/lists.ts";
import { readObjects } from "../account/objects.ts";
import type { CommandDefinition } from "../command.ts";
import { createComparison } from "../diff/comparison.ts";
import type { Compare, Found } from "../diff/comparison.ts";
import { fileObjects } from "../diff/file-objects.ts";
import type { FileObject } from "../diff/file-objects.ts";
import { exitCodes, Failure, textOf } from "../failure.ts";
import { readManifests } from "../manifest-files.ts";
import { written } from "../output/table.ts";
import type { Listed } from "../output/table.ts";
import type { Session } from "../session.ts";

interface Line {
  object: FileObject;
  id: string | undefined;
  field: string;
  cloud: Json | undefined;
  manifest: Json | undefined;
}

const byName = new Map(kinds.map((kind) => [kind.kind, kind]));

export const diff: CommandDefinition = {
  name: "diff",
  summary: "Compares manifests with the cloud, field by field.",
  description:
    "Finds the cloud object of each manifest by management.adopt.id, by the object in the cluster, or by its natural key, such as the label. Compares only fields that the manifest has, with the comparison of the operator. The exit code is 0 without a difference, 2 with differences, and 1 after an error.",
  examples: [
    ["diff -f manifests --account default", "compares all manifests of a folder"],
    [
      "diff -f domain.yaml --token-file token --endpoint https://api.example.com -o markdown",
      "prints a table for a pull request, without a cluster",
    ],
  ],
  formats: ["table", "json", "yaml", "markdown", "csv", "name"],
  options: [new Option("-f, --filename <path...>", "files or folders with manifests").makeOptionMandatory()],
  async run(session, _, { filename, output = "table" }) {
    const paths = filename as string[];
    const files = fileObjects(await readManifests(paths), paths);
    const compare = await comparisonOf(session, files);
    const failed: string[] = [];
    const found: Found[] = [];
    for (const file of files) {
      const why = skipped(file);
      if (why !== undefined) session.terminal.say(`not compared: ${file.kind} ${file.name}: ${why}`);
      else
        await compare(file).then(
          (one) => found.push(one),
          (error: unknown) => failed.push(`${file.kind} ${file.name}: ${textOf(error)}`),
        );
    }
    const lines = found.flatMap(linesOf);
    if (lines.length > 0 || output !== "table") session.terminal.data(written(listed(lines), output));
    for (const { object, unknown } of found)
      for (const one of unknown) session.terminal.say(`not compared: ${object.kind} ${object.name}: ${one}`);
    for (const one of failed) session.terminal.say(`${session.terminal.paint("red", "error")}: ${one}`);
    if (failed.length > 0) return exitCodes.error;
    return lines.length > 0 ? exitCodes.different : exitCodes.ok;
  },
};

function skipped({ kind }: FileObject): string | undefined {
  const known = byName.get(kind);
  return known && notExported(known);
}

async function comparisonOf(session: Session, files: readonly FileObject[]): Promise<Compare> {
  const account = await session.account();
  const lists = createLists(account.reader, (done, begun) =>
    session.terminal.progress(`reading the account: ${done} of ${begun} reads`),
  );
  const { objects, missed } = await readObjects(lists, kinds, kindsIn(files));
  // A list of another kind matters only to a reference, which then fails by itself.
  const own = missed.filter(({ what }) => files.some(({ kind }) => what.startsWith(`${kind} `)));
  if (own.length > 0) throw new Failure(own.map(({ what, why }) => `${what}: ${why}`).join("; "));
  const recordedID = async (kind: Kind, name: string, namespace?: string): Promise<string | undefined> => {
    if (!session.hasCluster) return undefined;
    const cluster = session.cluster();
    const object = await cluster.kube.get(resourceOf(kind), { namespace: namespace ?? cluster.namespace, name });
    return object && statusOf(object).id;
  };
  return createComparison({ kinds: byName, files, objects, lists, neutral: account.neutral, recordedID });
}

/** Returns the kinds of the files, and the kinds that they can refer to. */
function kindsIn(files: readonly FileObject[]): ReadonlySet<Kind> {
  const own = [...new Set(files.map(({ kind }) => kind))].flatMap((kind) => byName.get(kind) ?? []);
  const referred = own.flatMap(({ references = {} }) =>
    Object.values(references).flatMap((one) => ("secret" in one ? [] : kindsOf(one))),
  );
  return new Set([...own, ...referred.flatMap((kind) => byName.get(kind) ?? [])]);
}

function linesOf({ object, id, differences }: Found): Line[] {
  if (id === undefined) return [{ object, id, field: "", cloud: undefined, manifest: "no such cloud object" }];
  return differences.map(({ field, desired, observed, remedy }) => ({
    object,
    id,
    field,
    cloud: remedy ?? observed,
    manifest: remedy ?? desired,
  }));
}

function listed(items: Line[]): Listed<Line> {
  const text = (value: Json | undefined) => (typeof value === "string" ? value : JSON.stringify(value ?? null));
  return {
    items,
    columns: {
      object: ({ object }) => `${object.kind} ${object.name}`,
      id: ({ id }) => id ?? "-",
      field: ({ field }) => (field === "" ? "-" : `spec.${field}`),
      cloud: ({ id, cloud }) => (id === undefined ? "-" : text(cloud)),
      manifest: ({ manifest }) => text(manifest),
    },
    name: ({ object }) => `${object.kind.toLowerCase()}/${object.name}`,
    plain: ({ object: { kind, name, file }, id, field, cloud, manifest }) => ({
      kind,
      name,
      file,
      id: id ?? null,
      ...(id !== undefined && { field: `spec.${field}`, cloud: cloud ?? null, manifest: manifest ?? null }),
    }),
  };
}
