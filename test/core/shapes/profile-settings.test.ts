/** Security questions and preferences: always there, set as a whole, and sent again only so often where that has no effect. */
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/api/types.ts";
import { conditionOf, createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, messageOf, stateOf } from "../support.ts";

const kind = "SecurityQuestions";
const path = "/profile/security-questions";
const minute = 60_000;

const questions = [1, 3, 5].map((questionID) => {
  return { questionID, answerSecretRef: { name: "answers", key: `of-${questionID}` } };
});

async function answered(prepare: (world: World) => void = () => undefined): Promise<World> {
  const world = createWorld();
  prepare(world);
  world.cluster.secret("answers", { "of-1": "Ankh-Morpork", "of-3": "Unseen", "of-5": "Gaspode" });
  world.cluster.create(kind, "own", { questions });
  await world.advance(10 * minute);
  return world;
}

function settingsOf({ cloud }: World) {
  return cloud.user("ada").settings;
}

/** Each question shown with other members. */
function each(change: (question: JsonObject) => JsonObject) {
  return (answer: { security_questions: JsonObject[] }): Json => ({
    security_questions: answer.security_questions.map((one) => ({ ...one, ...change(one) })),
  });
}

it("are answered with one request, and nobody is shown an answer", async () => {
  const world = await answered();
  expect(stateOf(world, kind, "own"), messageOf(world, kind, "own")).toBe("Ready");
  expect(settingsOf(world).answers).toEqual({ 1: "Ankh-Morpork", 3: "Unseen", 5: "Gaspode" });
  world.restart();
  await world.advance(30 * minute);
  expect(changes(world)).toEqual([`POST ${path}`]);
  const said = JSON.stringify([world.cluster.get(kind, "own"), world.cluster.events(), world.lines()]);
  expect(said).not.toMatch(/Ankh-Morpork|Unseen|Gaspode/);
});

it("whose answers the cloud never shows as they are, are sent a few times and then reported", async () => {
  const masks = each(({ response }) => ({ response: typeof response === "string" ? "******" : null }));
  const world = await answered((begun) => void (settingsOf(begun).show = masks));
  expect(conditionOf(world.cluster.get(kind, "own"), "Drifted")?.status).toBe("True");
  const sent = changes(world).length;
  // Once for what was there before, and then as often as for what may have got lost on the way.
  expect(sent).toBe(6);
  await world.advance(30 * minute);
  expect(changes(world)).toHaveLength(sent);
  // What answered in the place of the cloud may be gone: at growing intervals it is asked for again.
  await world.advance(300 * minute);
  expect(changes(world).length - sent).toBe(2);
  delete settingsOf(world).show;
  await world.advance(20 * minute);
  expect(conditionOf(world.cluster.get(kind, "own"), "Drifted")?.status).not.toBe("True");
});

describe("shown in an odd form are not said to be missing, and nothing is sent", () => {
  it.each<{ form: string; show: NonNullable<ReturnType<typeof settingsOf>["show"]> }>([
    { form: "numbers as text", show: each(({ id }) => ({ id: JSON.stringify(id) })) },
    { form: "answers as numbers", show: each(() => ({ response: 42 })) },
    { form: "no list", show: () => ({ security_questions: null }) },
    { form: "nothing", show: () => ({}) },
  ])("$form", async ({ show }) => {
    const world = await answered();
    settingsOf(world).show = show;
    await world.advance(20 * minute);
    expect(stateOf(world, kind, "own"), messageOf(world, kind, "own")).toBe("Unreadable");
    delete settingsOf(world).show;
    await world.advance(20 * minute);
    expect(world.cluster.get(kind, "own")).toBeReady();
    expect(changes(world)).toHaveLength(1);
  });
});

it("preferences that something before the cloud API answered with nothing are sent again", async () => {
  const world = createWorld();
  world.cloud.fault({ kind: "empty", method: "PUT", times: 2 });
  world.cluster.create("ProfilePreferences", "own", { preferences: { theme: "dark" } });
  await world.advance(10 * minute);
  expect(settingsOf(world).preferences).toEqual({ theme: "dark" });
  expect(world.cluster.get("ProfilePreferences", "own")).toBeReady();
  expect(conditionOf(world.cluster.get("ProfilePreferences", "own"), "Drifted")?.status).not.toBe("True");
  await world.advance(30 * minute);
  expect(changes(world)).toHaveLength(3);
});

describe("preferences that would not arrive as they are", () => {
  it.each([
    ['{"theme":"dark","__proto__":{"a":1}}', "spec.preferences.__proto__: not known"],
    ['{"limit":9007199254740993}', "spec.preferences.limit: "],
    ['{"lists":[{"last":1},{"last":-9007199254740993}]}', "spec.preferences.lists[1].last: "],
  ])("%s are refused with the field, and nothing is sent", async (text, says) => {
    const world = createWorld();
    world.cluster.create("ProfilePreferences", "own", { preferences: JSON.parse(text) as JsonObject });
    await world.advance(10 * minute);
    expect(stateOf(world, "ProfilePreferences", "own")).toBe("InvalidSpec");
    expect(messageOf(world, "ProfilePreferences", "own")).toContain(says);
    expect(changes(world)).toEqual([]);
  });

  it.each(['{"limit":9007199254740991,"share":0.1}', '{"lists":{"__proto__":{"a":1}}}', '{"constructor":1}'])(
    "%s are none",
    async (text) => {
      const world = createWorld();
      world.cluster.create("ProfilePreferences", "own", { preferences: JSON.parse(text) as JsonObject });
      await world.advance(10 * minute);
      expect(stateOf(world, "ProfilePreferences", "own"), messageOf(world, "ProfilePreferences", "own")).toBe("Ready");
      expect(JSON.stringify(settingsOf(world).preferences)).toBe(text);
    },
  );
});

it("preferences with 4,000 levels are an InvalidSpec, and the object can be deleted", async () => {
  const world = createWorld();
  const deep = JSON.parse(`${'{"a":'.repeat(4_000)}1${"}".repeat(4_000)}`) as JsonObject;
  world.cluster.create("ProfilePreferences", "own", { preferences: deep });
  await world.advance(60_000);
  expect(conditionOf(world.cluster.get("ProfilePreferences", "own"), "Ready")).toMatchObject({
    reason: "InvalidSpec",
    message: expect.stringMatching(/^spec\.preferences: has more than 64 levels/) as string,
  });
  expect(world.logged().filter(({ level }) => level === "error")).toEqual([]);
  world.cluster.delete("ProfilePreferences", "own");
  await world.advance(60_000);
  expect(world.cluster.get("ProfilePreferences", "own")).toBeUndefined();
});
