/**
 * Room `generate`: generates CRDs with their reference, roles, admission policies, samples, guides and the registry
 * from the kinds, and the registry of the simulator from its areas.
 *
 * Guarantees equal bytes for equal sources. Rejects a kind that the API server cannot fully enforce, and says how to
 * change the kind. Only files.ts writes; the rest is pure. May import kinds and core.
 */
import path from "node:path";
import { parseArgs } from "node:util";
import { collate } from "./collate.ts";
import { chartAbout } from "./chart/about.ts";
import { chartCopies, differingFiles, versionOf, writeFiles } from "./files.ts";
import { loadAreas } from "./load-areas.ts";
import { loadKinds } from "./load-kinds.ts";
import { simulatorRegistry, simulatorRegistrySource } from "./simulator-registry.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** Returns the exit code: 0 without a problem. Without --check, writes the files even if a kind has a problem. */
async function main(): Promise<number> {
  const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
  const loaded = await loadKinds(path.join(root, "src/kinds"));
  const areas = await loadAreas(path.join(root, "src/simulator"));
  const collated = collate(loaded.kinds);
  const files = new Map([
    ...collated.files,
    ...chartCopies(root),
    chartAbout(
      loaded.kinds.map(({ kind }) => kind),
      versionOf(root),
    ),
    [simulatorRegistry, simulatorRegistrySource(areas.contributions)],
  ]);
  const refused = [...loaded.problems, ...areas.problems, ...collated.problems];
  say(process.stderr, refused);
  if (!values.check) {
    const touched = writeFiles(root, files, { removeLeftovers: refused.length === 0 });
    say(process.stdout, touched.length > 0 ? touched : [`${files.size} files are up to date`]);
    return refused.length > 0 ? 1 : 0;
  }
  const differing = differingFiles(root, files);
  say(
    process.stderr,
    differing.map((file) => `${file} is out of date: run npm run generate`),
  );
  return refused.length + differing.length > 0 ? 1 : 0;
}

function say(stream: NodeJS.WriteStream, lines: string[]): void {
  stream.write(lines.map((line) => `${line}\n`).join(""));
}

process.exitCode = await main();
