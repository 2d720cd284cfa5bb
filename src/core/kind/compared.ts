/** Comparison of a spec with its cloud object, field by field, with the functions that the operator compares with. */
import type { Json, JsonObject } from "../../api/types.ts";
import { withOtherEntries } from "./added-entries.ts";
import { adoptedLive } from "./adopted-live.ts";
import type { AnyLive, Shown } from "./adopted-live.ts";
import type { Call, Detail } from "./call.ts";
import { changesBetween, effectOf } from "./changes.ts";
import type { Difference } from "./differences.ts";
import { differencesIn, fixedDifferencesIn } from "./fields.ts";
import type { Kind } from "./owned.ts";
import { specField } from "./spec-path.ts";
import { lineDifferences } from "./words.ts";

export interface Compared {
  /** Differences in the form of the spec. */
  differences: Difference[];
  /** Fields that only the operator can compare, with the reason. */
  unknown: string[];
}

/** Compares the desired values of the spec with the row and the reads of the steps. Rejects if a read fails. */
export async function compared(
  kind: Kind,
  shown: Shown,
  spec: Record<string, unknown>,
  read: (detail: Detail) => Promise<Json | undefined>,
): Promise<Compared> {
  const live = adoptedLive(shown, spec);
  const unknown: string[] = [];
  const attempt = <T>(what: string, compare: () => T[]): T[] => {
    try {
      return compare();
    } catch (error) {
      unknown.push(`${what}: ${error instanceof Error ? error.message : "not known"}`);
      return [];
    }
  };
  const ofFields = Object.entries(kind.fields).flatMap(([name, field]) => {
    const one = { ...kind, fields: { [name]: field } };
    const path = specField(kind, name)?.path ?? name;
    if (field.sensitive) return [];
    return attempt(path, () =>
      [
        ...withOtherEntries(one, live, shown.row, undefined, differencesIn(one, live, shown.row)),
        ...fixedDifferencesIn(one, live, shown.row),
      ].flatMap((found) => inWords(kind, found)),
    );
  });
  const ofSteps: Difference[] = [];
  for (const [name, step] of Object.entries(kind.steps ?? {})) {
    const [detail] = attempt(name, () => [step.read?.(live)]);
    const current = detail && (await read(detail));
    ofSteps.push(...attempt(step.specFields.join(", ") || name, () => stepDifferences(kind, step, live, current)));
  }
  return { differences: [...ofFields, ...ofSteps], unknown };
}

type AnyStep = NonNullable<Kind["steps"]>[string];

/** Returns the differences behind the calls of a step. A step without calls has no difference. */
function stepDifferences(kind: Kind, step: AnyStep, live: AnyLive, current: Json | undefined): Difference[] {
  const calls = step.calls(live, current);
  if (calls.length === 0) return [];
  const described = step.describe?.(live, current);
  const found = described && changesBetween(described.spec ?? (live.spec as JsonObject), described.cloud);
  if (found && found.length > 0) return found;
  return calls.flatMap((call) => call.changes ?? [noted(kind, step, call, live.spec)]);
}

function noted(kind: Kind, { specFields }: AnyStep, call: Call, spec: Record<string, unknown>): Difference {
  return { field: specFields.join(", "), desired: effectOf(kind, call, spec), observed: null };
}

/** Returns a difference of a field of the API with the names and values of the spec. */
function inWords(kind: Kind, { field, desired, observed }: Difference): Difference[] {
  const known = specField(kind, field);
  const { describe = (value: Json | undefined) => value } = kind.fields[field] ?? {};
  const said = (value: Json | undefined): Json | undefined => known?.said(describe(value)) ?? value;
  const path = known?.path ?? field;
  const lines = lineDifferences(said(desired), said(observed), path);
  return lines.length > 0 ? lines : [{ field: path, desired, observed }];
}
