import { onlyHere } from "./exceptions.ts";
import type { Stage } from "./stage.ts";

/** The user changes the first field of the example's changes that concerns the cloud; answers the new spec. */
export async function makeChange(stage: Stage): Promise<Record<string, unknown>> {
  const { kind, example } = stage;
  const found = Object.entries(example.changes ?? {}).find(([field]) => !onlyHere(kind.kind, field));
  if (!found) throw new Error(`${stage.title} has no change: add one to its changes`);
  const spec = { ...example.spec, ...found[1] };
  await stage.change(spec);
  return spec;
}
