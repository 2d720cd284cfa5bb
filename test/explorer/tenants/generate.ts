/** Random lives of tenants. The seed of the runner determines the life. */
import * as fc from "fast-check";
import { kindsOfTenants, wishes } from "./cast.ts";
import type { What } from "./cast.ts";
import type { Place, Sharing, TenantCommand, TenantLife } from "./story.ts";

const residents = 3;
const who = fc.nat(residents - 1);

/** Pauses shorter and longer than the half second for which a fact stays fresh, milliseconds. */
const pause = fc.constantFrom(100, 600, 3_000, 12_000, 45_000, 150_000);

function of(what: TenantCommand["do"], rest: object = {}): fc.Arbitrary<TenantCommand> {
  return fc.record({ do: fc.constant(what), ...rest }) as unknown as fc.Arbitrary<TenantCommand>;
}

const create = of("create", { who });
const adopting = of("create", { who, adopts: fc.constant(true) });
const pass = of("pass", { ms: pause });
const edit = of("edit", { who, change: fc.nat(2) });
const remove = of("delete", { who });
const deleteHolder = of("deleteHolder", { who });
const protect = of("protect", { who, on: fc.constantFrom(true, true, false) });
const share = of("share", { level: fc.constantFrom<Sharing>("none", "own", "own", "existing", "accountWide") });
const rotate = of("rotate");
const policy = of("policy", { who, policy: fc.constantFrom("Manage", "Paused", "Plan", "Plan") });
const approve = of("approve", { who });
const changeSecret = of("changeSecret", { who });
const restore = of("restore", { who });
const stall = of("stall", { kind: fc.constantFrom("Secret", "CloudAccount", "CloudAccount", ...kindsOfTenants) });
const disable = of("disable", {
  kinds: fc.uniqueArray(fc.constantFrom(...[...kindsOfTenants].filter((kind) => kind !== "CloudAccount")), {
    minLength: 1,
    maxLength: 3,
  }),
});
const disableOne = (...kinds: string[]) => of("disable", { kinds: fc.constantFrom(...kinds.map((kind) => [kind])) });
const crash = of("crash", { steps: fc.nat(12), downMs: fc.constantFrom(0, 1_000, 40_000) });
const lose = of("lose", { method: fc.constantFrom("POST", "PUT", "DELETE") });
const deleteAccount = of("deleteAccount");
const tagByHand = of("tagByHand", { who });

const any: fc.Arbitrary<TenantCommand>[] = [
  create,
  create,
  create,
  adopting,
  pass,
  pass,
  pass,
  edit,
  edit,
  remove,
  deleteHolder,
  protect,
  share,
  share,
  rotate,
  policy,
  approve,
  changeSecret,
  restore,
  of("removeFromCloud", { who }),
  stall,
  stall,
  disable,
  crash,
  lose,
  deleteAccount,
  tagByHand,
];

type Scene = fc.Arbitrary<TenantCommand[]>;

interface Theme {
  wishes: What[];
  places: Place[];
  sharing: Sharing[];
  often: fc.Arbitrary<TenantCommand>[];
  /** Whether residents want the label `common`; seldom if not given. */
  shared?: boolean[];
  /** Sequences of commands that chance alone rarely produces. */
  scenes?: Scene[];
}

function scene(...commands: fc.Arbitrary<TenantCommand>[]): Scene {
  return fc.tuple(...commands);
}

const stallOf = (...kinds: string[]) => of("stall", { kind: fc.constantFrom(...kinds) });
const afterwards = of("pass", { ms: fc.constantFrom(100, 600, 3_000, 12_000) });
const withdraw = of("share", { level: fc.constantFrom<Sharing>("none", "own") });
const request = fc.oneof(create, adopting, edit, remove);

/** A user changes a fact while the watch of the fact is silent. */
const staleFacts: Scene[] = [
  scene(stallOf("CloudAccount"), withdraw, afterwards, request, afterwards),
  scene(stallOf("Secret"), rotate, afterwards, request, afterwards),
  scene(stallOf("DomainRecord", "ComputeDisk", "IPAddress"), protect, afterwards, deleteHolder, afterwards),
];

const reviewed: Scene = scene(policy, afterwards, changeSecret, afterwards, approve, changeSecret, afterwards);

/** An object adopts a row. The row contains the row of another object, and a user protects the other object. */
const takenOver: Scene = scene(create, afterwards, create, afterwards, protect, afterwards, remove, afterwards);

const everyWish = wishes.map(({ what }) => what) as What[];

/** Combinations that chance alone rarely produces. */
const themes: Theme[] = [
  { wishes: everyWish, places: ["shop", "team", "team", "outsider"], sharing: ["own", "existing"], often: any },
  { wishes: everyWish, places: ["team"], sharing: ["own", "own", "existing"], often: [edit, remove, share, tagByHand] },
  {
    wishes: ["firewall", "domain", "instance", "record of a named zone", "disk"],
    places: ["team", "team", "shop"],
    sharing: ["own", "existing", "existing"],
    often: [stall, share, rotate, edit, adopting, remove, policy],
    scenes: staleFacts,
  },
  {
    wishes: ["record of a named zone", "disk", "address"],
    places: ["shop", "shop", "team"],
    sharing: ["own", "existing"],
    often: [protect, protect, deleteHolder, stall, disable],
    scenes: [...staleFacts, scene(protect, disableOne("DomainRecord", "ComputeDisk"), deleteHolder, pass)],
  },
  {
    wishes: ["record in a zone made by hand", "zone made by hand"],
    places: ["shop", "shop", "shop", "team"],
    sharing: ["existing"],
    often: [protect, protect, remove, remove, stall, disable],
    scenes: [takenOver],
  },
  {
    wishes: ["disk of an instance made by hand", "instance made by hand"],
    places: ["shop", "shop", "shop", "team"],
    sharing: ["existing"],
    often: [protect, protect, remove, remove, stall, disable],
    scenes: [takenOver],
  },
  {
    wishes: ["address", "instance", "disk", "key", "record of a named zone"],
    places: ["shop", "team"],
    sharing: ["own"],
    often: [restore, restore, crash, lose, remove],
  },
  {
    wishes: ["content from its own Secret", "content from the Secret of a token", "rebuild from a foreign image"],
    places: ["shop", "team"],
    sharing: ["own", "existing"],
    often: [policy, approve, changeSecret, edit, crash],
    scenes: [reviewed],
  },
  {
    wishes: ["firewall", "instance", "an account that does not exist", "domain"],
    places: ["outsider", "outsider", "team", "shop"],
    sharing: ["none", "own"],
    often: [deleteAccount, deleteAccount, disable, remove, share],
    scenes: [scene(create, afterwards, disableOne("Firewall", "ComputeInstance", "Domain"), deleteAccount, pass)],
  },
  {
    wishes: ["instance", "firewall", "domain"],
    places: ["shop", "team", "team"],
    sharing: ["own"],
    shared: [true],
    often: [edit, remove, crash, lose],
  },
];

function livesOf({
  wishes: own,
  places,
  sharing,
  often,
  shared = [false, false, true],
  scenes = [],
}: Theme): fc.Arbitrary<TenantLife> {
  const resident = fc.record({
    wish: fc.constantFrom(...own),
    place: fc.constantFrom(...places),
    shared: fc.constantFrom(...shared),
  });
  return fc.record({
    residents: fc.array(resident, { minLength: residents, maxLength: residents }),
    sharing: fc.constantFrom(...sharing),
    cloudMs: fc.constantFrom(0, 20),
    kubeMs: fc.constantFrom(0, 5),
    commands: fc
      .tuple(
        fc.array(create, { minLength: 1, maxLength: 3 }),
        fc.array(fc.oneof(...[pass, pass, create, ...often].map((one) => scene(one)), ...scenes, ...scenes), {
          minLength: 1,
          maxLength: 8,
        }),
      )
      .map(([first, others]) => first.concat(...others)),
  });
}

export const livesOfTenants: fc.Arbitrary<TenantLife> = fc.oneof(...themes.map(livesOf));
