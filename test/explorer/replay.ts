/** Lives the lives that are its arguments, seeds or whole ones as JSON, and writes which invariants they break. */
import { lifeOf } from "./explore.ts";
import { without } from "./generate.ts";
import { live } from "./live.ts";
import type { Life } from "./story.ts";

/** Nobody who may write journal entries or status means harm. */
const trusted = new Set(["forge", "forgeStatus"]);

const broken = new Set<string>();
for (const argument of process.argv.slice(2)) {
  const [seed, life] = argument.startsWith("{")
    ? [1, JSON.parse(argument) as Life]
    : [Number(argument), lifeOf(Number(argument))];
  const { violations } = await live(without(life, trusted), seed);
  for (const { invariant } of violations) broken.add(invariant);
}
process.stdout.write(JSON.stringify([...broken]));
