/** Lives many lives, and tells each kind of violation once, with the shortest story that leads to it. */
import * as fc from "fast-check";
import { livesIn } from "./generate.ts";
import type { Violation } from "./invariants.ts";
import type { casts } from "./palette.ts";
import type { Life } from "./story.ts";
import { troupes } from "./troupes.ts";
import type { AnyLife, Cast, Troupe } from "./troupes.ts";

export interface Finding {
  violation: Violation;
  signature: string;
  seed: number;
  life: AnyLife;
  /** The life in lines for people. */
  story: string[];
  /** Lives in which it was seen. */
  count: number;
}

export interface Exploration {
  lives: number;
  ms: number;
  findings: Finding[];
}

export interface ExploreOptions {
  lives: number;
  seed: number;
  cast?: Cast;
  /** Told of a kind of violation when it is first met, its story shrunk. */
  onFinding?: (finding: Finding) => void;
  /** Told after every hundredth life how many there were since it was told last, and at the end. */
  onLived?: (lives: number) => void;
  /** Lives that shrinking one story may take. */
  shrinkRuns?: number;
  /** Commands that no life has. */
  without?: ReadonlySet<string>;
  /** Invariants whose violations the exploration neither reduces nor reports. */
  ignored?: ReadonlySet<string>;
}

export function signatureOf({ invariant, kind, what }: Violation): string {
  return `${invariant}: ${kind}: ${what}`;
}

/** Life number n of an exploration has the seed `seed + n`. */
export async function explore({
  lives: count,
  seed,
  cast = "first",
  onFinding,
  onLived,
  shrinkRuns = 60,
  without: left = new Set(),
  ignored = new Set(),
}: ExploreOptions): Promise<Exploration> {
  const troupe = troupes[cast];
  const findings = new Map<string, Finding>();
  const began = performance.now();
  let shrinkingMs = 0;
  for (let number = 0; number < count; number += 1) {
    const own = seed + number;
    const life = troupe.without(sample(troupe.lives, own), left);
    const { violations } = await troupe.live(life, own);
    if ((number + 1) % 100 === 0) onLived?.(100);
    const reported = violations.filter(({ invariant }) => !ignored.has(invariant));
    for (const signature of new Set(reported.map(signatureOf))) {
      const known = findings.get(signature);
      if (known) {
        known.count += 1;
        continue;
      }
      const shrinking = performance.now();
      const finding = await shrunk({ signature, seed: own, troupe, life, left, shrinkRuns });
      shrinkingMs += performance.now() - shrinking;
      findings.set(signature, finding);
      onFinding?.(finding);
    }
  }
  onLived?.(count % 100);
  return { lives: count, ms: performance.now() - began - shrinkingMs, findings: [...findings.values()] };
}

/** Returns the life of a seed. */
export function lifeOf(seed: number, cast: keyof typeof casts = "first"): Life {
  return sample(livesIn[cast], seed);
}

function sample<L>(lives: fc.Arbitrary<L>, seed: number): L {
  const [life] = fc.sample(lives, { seed, numRuns: 1 });
  if (!life) throw new Error("no life");
  return life;
}

interface Unshrunk extends Pick<Finding, "signature" | "seed" | "life"> {
  troupe: Troupe<AnyLife>;
  left: ReadonlySet<string>;
  shrinkRuns: number;
}

/** First fast-check makes smaller lives of the seed for a while; then what can be left out of the smallest is left out. */
async function shrunk({ signature, seed, troupe, life, left, shrinkRuns }: Unshrunk): Promise<Finding> {
  let smallest: Pick<Finding, "life" | "violation"> | undefined;
  const tries = async (smaller: AnyLife): Promise<boolean> => {
    const { violations } = await troupe.live(smaller, seed);
    const violation = violations.find((one) => signatureOf(one) === signature);
    if (violation) smallest = { life: smaller, violation };
    return violation !== undefined;
  };
  await tries(life);
  let runs = 0;
  const property = fc.asyncProperty(troupe.lives, async (smaller) => {
    runs += 1;
    return runs > shrinkRuns || !(await tries(troupe.without(smaller, left)));
  });
  await fc.check(property, { seed, numRuns: 1 });
  if (!smallest) throw new Error(`seed ${seed} does not show it again: ${signature}`);
  await leaveOut(smallest.life, troupe, tries);
  return { ...smallest, story: troupe.told(smallest.life), signature, seed, count: 1 };
}

/** Drops each command and each trouble of the world that is not needed. */
async function leaveOut(
  life: AnyLife,
  { calms }: Troupe<AnyLife>,
  tries: (smaller: AnyLife) => Promise<boolean>,
): Promise<void> {
  let kept = life;
  for (let index = life.commands.length - 1; index >= 0; index -= 1) {
    const smaller = { ...kept, commands: kept.commands.toSpliced(index, 1) };
    if (await tries(smaller)) kept = smaller;
  }
  for (const calm of calms) {
    const smaller = { ...kept, ...calm };
    if (await tries(smaller)) kept = smaller;
  }
}

/** A finding for people. */
export function describe({ violation, signature, seed, story, count }: Finding): string {
  return [
    signature,
    `  seed ${seed}, seen ${count} times; ${violation.detail.replaceAll(/\s+/g, " ").slice(0, 400)}`,
    ...story.map((line) => `    ${line}`),
  ].join("\n");
}
