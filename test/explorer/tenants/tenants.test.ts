import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { kinds } from "../../../src/kinds/registry.ts";
import { patchedSpec } from "../admission.ts";
import { describe as describeFinding } from "../explore.ts";
import { exploreTogether } from "../workers.ts";
import { wishes, wordOf } from "./cast.ts";
import type { Scene } from "./cast.ts";
import { liveAsTenants } from "./live.ts";
import { rules } from "./rules.ts";
import type { Resident, TenantLife } from "./story.ts";

interface Story {
  /** The rule that the life broke. */
  rule: string;
  seed: number;
  /** The operator still breaks the rule. */
  open?: boolean;
  life: TenantLife;
}

const corpus = JSON.parse(readFileSync(new URL("corpus.json", import.meta.url), "utf8")) as Record<string, Story>;
const stories = Object.entries(corpus).map(([title, story]) => Object.assign(story, { title }));

async function brokenIn({ life, seed }: Story): Promise<string[]> {
  const { violations } = await liveAsTenants(life, seed);
  return [...new Set(violations.map(({ invariant }) => invariant))];
}

describe("a story of tenants breaks no rule, unless the story is open", { timeout: 60_000 }, () => {
  it.each(stories)("$title", async (story) => {
    const broken = await brokenIn(story);
    if (story.open) expect(broken, "the operator is correct: remove `open` from the story").toContain(story.rule);
    else expect(broken).toEqual([]);
  });
});

it("2000 random lives of tenants break no rule, except the rules of open stories", { timeout: 1_800_000 }, async () => {
  const ignored = stories.filter(({ open }) => open).map(({ rule }) => rule);
  const { findings } = await exploreTogether({ lives: 2_000, cast: "tenants", seed: 1, without: [], ignored, jobs: 2 });
  expect(findings.map(describeFinding)).toEqual([]);
});

it("a story names a rule of the judge", () => {
  expect(stories.filter(({ rule }) => !(rule in rules))).toEqual([]);
});

it("the API server stores every wish that is no mistake, and every edit of the wish", () => {
  const foreign = { instance: "1004", domain: "1005", firewall: "1006" };
  const scene: Scene = { place: "team", name: "alder-0", label: "alder-0", foreign, holderID: "1007" };
  const meant = wishes.filter(({ invalid }) => !invalid);
  const refused = meant.flatMap((wish) => {
    const spec = wish.spec(scene);
    const all = [spec, ...(wish.edits ?? []).map((edit) => patchedSpec({ spec }, edit(scene)))];
    const kind = kinds.find((one) => one.kind === wish.kind);
    return all.filter((one) => kind?.spec.safeParse(one).success !== true).map(() => wish.what);
  });
  expect(refused).toEqual([]);
});

it("the world names as author the object whose name a request carries", async () => {
  const resident = (wish: Resident["wish"], place: Resident["place"]): Resident => ({ wish, place, shared: false });
  const { world } = await liveAsTenants(
    {
      residents: [resident("firewall", "shop"), resident("firewall", "team"), resident("disk", "team")],
      sharing: "own",
      cloudMs: 20,
      kubeMs: 5,
      commands: [0, 1, 2].map((who) => ({ do: "create" as const, who })),
    },
    1,
  );
  const made = world.cloud.ledger().flatMap(({ method, body, author }) => {
    const label = body?.["label"];
    return method === "POST" && typeof label === "string" ? [[label, author] as const] : [];
  });
  expect(new Map(made)).toEqual(
    new Map([
      [`${wordOf.shop}-0`, "Firewall/shop/larch-0"],
      [`${wordOf.team}-1`, "Firewall/team-b/alder-1"],
      [`${wordOf.team}-2`, "ComputeDisk/team-b/alder-2"],
      [`${wordOf.team}-host`, "ComputeInstance/team-b/host"],
    ]),
  );
});
