/** Random lives. Everything follows from the seed that the runner is given. */
import * as fc from "fast-check";
import type { FaultKind } from "../world/faults.ts";
import { palette } from "./palette.ts";
import type { Command, Forgery, Life, Resident } from "./story.ts";

const residents = 3;
const who = fc.nat(residents - 1);
const forgery = fc.constantFrom<Forgery>("collection", "adopted", "pattern", "known", "garbage", "removed", "copied");

/** Times that end before, within and after the windows of the operator. */
const pause = fc.constantFrom(0, 0, 10, 60, 500, 3_000, 12_000, 45_000, 150_000, 900_000);

const faults: FaultKind[] = [
  "unreachable",
  "lostBefore",
  "lostAfter",
  "lateApply",
  "html502",
  "html502After",
  "notFound",
  "empty",
  "tooMany",
  "unauthorized",
  "busy",
  "slow",
  "slowApply",
  "silent",
];

const management = fc.constantFrom<Record<string, string>>(
  { deletionPolicy: "Orphan" },
  { deletionPolicy: "Delete" },
  { missingPolicy: "Recreate" },
  { missingPolicy: "Report" },
  { driftPolicy: "Report" },
  { policy: "Paused" },
  { policy: "Manage" },
  { policy: "Observe" },
);

function of(what: Command["do"], rest: object): fc.Arbitrary<Command> {
  return fc.record({ do: fc.constant(what), ...rest }) as unknown as fc.Arbitrary<Command>;
}

const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: of("create", { who, forged: seldom(forgery), adopts: seldom(fc.constantFrom("id", "filter")) }),
  },
  { weight: 10, arbitrary: of("pass", { ms: pause }) },
  { weight: 3, arbitrary: of("edit", { who, change: fc.nat(5) }) },
  { weight: 2, arbitrary: of("rename", { who, to: fc.constantFrom("shared", "other", "victim") }) },
  { weight: 2, arbitrary: of("manage", { who, management }) },
  { weight: 1, arbitrary: of("annotate", { who, how: fc.constantFrom("retry", "letGo") }) },
  { weight: 2, arbitrary: of("forge", { who, how: forgery }) },
  { weight: 1, arbitrary: of("strip", { who }) },
  { weight: 2, arbitrary: of("restore", { who, forged: seldom(forgery) }) },
  { weight: 4, arbitrary: of("delete", { who }) },
  { weight: 1, arbitrary: of("deleteLate", { who, ms: fc.constantFrom(1, 8, 30, 100) }) },
  {
    weight: 5,
    arbitrary: of("fault", {
      method: fc.constantFrom("GET", "POST", "POST", "PUT", "DELETE"),
      kind: fc.constantFrom(...faults),
      ms: fc.constantFrom(500, 5_000, 20_000),
      times: fc.constantFrom(1, 1, 3, 20),
    }),
  },
  { weight: 1, arbitrary: of("removeRow", { who }) },
  { weight: 1, arbitrary: of("tamper", { who }) },
  { weight: 1, arbitrary: of("replaceRow", { who, same: fc.boolean() }) },
  { weight: 1, arbitrary: of("addRow", { who }) },
  { weight: 1, arbitrary: of("oddRow", { who, odd: fc.constantFrom("label", "created", "rule") }) },
  { weight: 1, arbitrary: of("withdraw", { who }) },
  { weight: 1, arbitrary: of("restoreGrants", {}) },
  { weight: 3, arbitrary: of("crash", { steps: fc.nat(12), downMs: fc.constantFrom(0, 1_000, 40_000, 200_000) }) },
  { weight: 2, arbitrary: of("watches", { how: fc.constantFrom("late", "held", "repeated", "prompt", "listed") }) },
);

const resident: fc.Arbitrary<Resident> = fc.record({
  kind: fc.nat(palette.length - 1),
  shared: fc.boolean(),
  place: fc.constantFrom("default", "default", "default", "second", "guest"),
});

export const lives: fc.Arbitrary<Life> = fc.record({
  residents: fc.array(resident, { minLength: residents, maxLength: residents }),
  cloudMs: fc.constantFrom(0, 20),
  kubeMs: fc.constantFrom(0, 5),
  lagMs: fc.constantFrom(0, 0, 0, 8_000),
  dateAheadMs: fc.constantFrom(0, 0, 3_000),
  reuseIds: fc.boolean(),
  events: fc.constantFrom(false, false, true),
  commands: fc
    .tuple(fc.array(of("create", { who }), { maxLength: 2 }), fc.array(command, { minLength: 1, maxLength: 14 }))
    .map(([first, others]) => first.concat(others)),
});

/** The life without commands of these kinds; without `forge` nobody writes an intent at all. */
export function without(life: Life, left: ReadonlySet<string>): Life {
  const commands = life.commands
    .filter((command) => !left.has(command.do))
    .map((command) =>
      left.has("forge") && "forged" in command ? Object.assign({}, command, { forged: undefined }) : command,
    );
  return { ...life, commands };
}
