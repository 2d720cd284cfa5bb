/** Random lives. Everything follows from the seed that the runner is given. */
import * as fc from "fast-check";
import type { FaultKind } from "../world/faults.ts";
import { casts } from "./palette.ts";
import { storedFields } from "./stored.ts";
import type { Stored } from "./stored.ts";
import type { Attached, Command, Forgery, Life, Resident } from "./story.ts";

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

const attached = fc.constantFrom<Attached>("resident", "resident", "victim", "byId", "odd", "unknown");
const attach = of("attach", { who, to: fc.array(attached, { maxLength: 3 }) });
const observe = of("observe", { who, whom: who });
const adopt = of("adopt", { who, what: fc.constantFrom("own", "victim", "filter", "none") });
const rotate = of("rotate", {
  to: fc.constantFrom("fresh", "fresh", "user", "stranger", "first"),
  revoke: fc.boolean(),
});
const poll = of("poll", { seconds: fc.constantFrom(600, 3_600, null) });
const account = of("account", { how: fc.constantFrom("delete", "create") });
const handOver = of("handOver", { ms: fc.constantFrom(0, 5, 60, 300) });
const slowTenant = of("slowTenant", {
  place: fc.constantFrom("default", "second"),
  ms: fc.constantFrom(5_000, 25_000),
  times: fc.constantFrom(3, 60),
});

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
  { weight: 2, arbitrary: attach },
  { weight: 1, arbitrary: observe },
  { weight: 1, arbitrary: adopt },
  { weight: 1, arbitrary: rotate },
  { weight: 1, arbitrary: poll },
  { weight: 1, arbitrary: account },
  { weight: 1, arbitrary: of("deleteNamespace", {}) },
  { weight: 1, arbitrary: handOver },
  { weight: 1, arbitrary: of("takeSecret", { who }) },
  { weight: 1, arbitrary: of("lengthen", { who }) },
  { weight: 1, arbitrary: of("stubborn", { who }) },
  { weight: 1, arbitrary: of("forgeStatus", { who }) },
  { weight: 2, arbitrary: of("watches", { how: fc.constantFrom("late", "held", "repeated", "prompt", "listed") }) },
);

const resident = (kind: fc.Arbitrary<number>): fc.Arbitrary<Resident> =>
  fc.record({
    kind,
    shared: fc.boolean(),
    place: fc.constantFrom("default", "default", "default", "second", "guest"),
  });

const settings = {
  cloudMs: fc.constantFrom(0, 20),
  kubeMs: fc.constantFrom(0, 5),
  lagMs: fc.constantFrom(0, 0, 0, 8_000),
  dateAheadMs: fc.constantFrom(0, 0, 3_000),
  reuseIds: fc.boolean(),
  events: fc.constantFrom(false, false, true),
};

/** Anything may happen to anything. */
const mixed = (kind: fc.Arbitrary<number>): fc.Arbitrary<Life> =>
  fc.record({
    residents: fc.array(resident(kind), { minLength: residents, maxLength: residents }),
    ...settings,
    commands: fc
      .tuple(fc.array(of("create", { who }), { maxLength: 2 }), fc.array(command, { minLength: 1, maxLength: 14 }))
      .map(([first, others]) => first.concat(others)),
  });

interface Theme {
  /** Numbers in the palette. */
  kinds: number[];
  places: Resident["place"][];
  often: fc.Arbitrary<Command>[];
  workers?: number;
}

const pass = of("pass", { ms: pause });
const fault = of("fault", {
  method: fc.constantFrom("GET", "POST", "PUT", "DELETE"),
  kind: fc.constantFrom("lostAfter", "lateApply", "slow", "slowApply", "busy", "html502", "notFound"),
  ms: fc.constantFrom(500, 5_000, 20_000),
  times: fc.constantFrom(1, 3),
});
const crash = of("crash", { steps: fc.nat(12), downMs: fc.constantFrom(0, 1_000, 40_000) });
const edit = of("edit", { who, change: fc.nat(5) });
const remove = of("delete", { who });

/** What seldom meets by chance meets here. */
const themes: Theme[] = [
  {
    kinds: [1, 2],
    places: ["default", "guest"],
    often: [attach, attach, edit, remove, fault, crash, of("removeRow", { who })],
  },
  { kinds: [0, 1, 2, 6], places: ["default"], often: [rotate, poll, account, handOver, fault, remove, edit] },
  {
    kinds: [0, 2, 4, 6],
    places: ["default", "guest"],
    often: [of("deleteNamespace", {}), crash, handOver, fault, account],
  },
  { kinds: [6, 7], places: ["default"], often: [of("takeSecret", { who }), edit, fault, remove, crash] },
  {
    kinds: [1, 7, 8],
    places: ["default"],
    often: [edit, edit, remove, fault, crash, of("stubborn", { who }), of("lengthen", { who })],
  },
  { kinds: [0, 1, 2, 3], places: ["default"], often: [observe, adopt, fault, crash, remove] },
  { kinds: [0, 1, 3, 5], places: ["default", "second"], often: [slowTenant], workers: 1 },
];

function livesOf({ kinds, places, often, workers }: Theme): fc.Arbitrary<Life> {
  const kind = fc.constantFrom(...kinds);
  const one = fc.record({ kind, shared: fc.constantFrom(false, false, true), place: fc.constantFrom(...places) });
  const create = of("create", { who });
  return fc.record({
    residents: fc.array(one, { minLength: residents, maxLength: residents }),
    ...settings,
    workers: fc.constant(workers),
    commands: fc
      .tuple(
        fc.array(create, { minLength: 1, maxLength: 3 }),
        fc.array(fc.oneof(pass, pass, create, ...often), { minLength: 1, maxLength: 10 }),
      )
      .map(([first, others]) => first.concat(others)),
  });
}

const [disk, key, image, backup, rebuild, migrate, boot] = casts.later as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
];

const laterThemes: Theme[] = [
  {
    kinds: [disk, backup],
    places: ["default", "guest"],
    often: [edit, remove, fault, crash, of("removeRow", { who }), of("stubborn", { who })],
  },
  {
    kinds: [key, image],
    places: ["default", "default", "second"],
    often: [edit, edit, of("takeSecret", { who }), remove, fault, crash, handOver],
  },
  {
    kinds: [rebuild, rebuild, migrate, boot, disk],
    places: ["default", "guest"],
    often: [fault, fault, crash, handOver, of("restore", { who }), of("strip", { who }), remove, edit],
  },
  { kinds: casts.later, places: ["default"], often: [observe, adopt, rotate, account, fault, remove] },
  { kinds: casts.later, places: ["default", "guest"], often: [of("deleteNamespace", {}), crash, handOver, fault] },
];

const takeHolder = of("takeHolder", { who, by: fc.constantFrom("nobody", "others", "others", "others") });

const writeFault = of("writeFault", {
  verb: fc.constantFrom("patch", "patch-status", "patch-status"),
  how: fc.constantFrom("refused", "lostAfter"),
  times: fc.constantFrom(1, 1, 2, 5),
});

const heldThemes: Theme[] = [
  {
    kinds: casts.held,
    places: ["default"],
    often: [takeHolder, takeHolder, writeFault, edit, remove, fault, crash, of("restore", { who })],
  },
  {
    kinds: casts.held,
    places: ["default", "default", "guest"],
    often: [takeHolder, writeFault, remove, of("withdraw", { who }), of("restoreGrants", {}), handOver, rotate, fault],
  },
];

/** Now and then, what holds a row is taken away. */
const taken = (life: fc.Arbitrary<Life>): fc.Arbitrary<Life> =>
  fc
    .record({ life, at: fc.nat(10), taking: takeHolder })
    .map(({ life: one, at, taking }) => Object.assign(one, { commands: one.commands.toSpliced(at, 0, taking) }));

const stored = fc.record<Stored>({
  field: fc.constantFrom(...storedFields),
  form: fc.constantFrom("capitals", "marked"),
});

/** In every eighth life, the service stores a value in another form. The choice comes last, so that it changes no other choice. */
const withStored = (lives: fc.Arbitrary<Life>): fc.Arbitrary<Life> =>
  fc
    .tuple(lives, fc.nat(7), stored)
    .map(([life, number, stores]) => (number === 7 ? Object.assign(life, { stores }) : life));

const ofCast = (kind: fc.Arbitrary<number>, themed: Theme[]): fc.Arbitrary<Life> =>
  fc.oneof(
    { weight: themed.length, arbitrary: mixed(kind) },
    ...themed.map((theme) => ({ weight: 1, arbitrary: livesOf(theme) })),
  );

export const livesIn: Record<keyof typeof casts, fc.Arbitrary<Life>> = {
  first: withStored(ofCast(fc.nat(casts.first.length - 1), themes)),
  later: withStored(ofCast(fc.constantFrom(...casts.later), laterThemes)),
  held: withStored(taken(ofCast(fc.constantFrom(...casts.held), heldThemes))),
};

/** The life without commands of these kinds; without `forge` nobody writes a journal entry at all. */
export function without(life: Life, left: ReadonlySet<string>): Life {
  const commands = life.commands
    .filter((command) => !left.has(command.do))
    .map((command) =>
      left.has("forge") && "forged" in command ? Object.assign({}, command, { forged: undefined }) : command,
    );
  return { ...life, commands };
}
