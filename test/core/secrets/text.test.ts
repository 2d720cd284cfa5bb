/** Text in Secrets as people store it: one line break at the end is not part of the text. Bytes are not changed. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/api/types.ts";
import { kinds } from "../../../src/kinds/registry.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, changesIn, madeMs, messageOf, specs, stateOf } from "../support.ts";

const soonMs = 60_000;
const password = "correct horse battery";
const notAfter = "2099-01-01T00:00:00Z";
const instanceRef = { name: "vm" };
const code = "123456";

interface Use {
  kind: string;
  spec: object;
  /** The end of the path of the request. */
  path: RegExp;
  sent: JsonObject;
}

const passwords: Use[] = [
  {
    kind: "ComputeInstance",
    spec: { ...specs.ComputeInstance, rootPasswordSecretRef: { name: "root" } },
    path: /^\/compute\/instances$/,
    sent: { root_pass: password },
  },
  {
    kind: "ComputeDisk",
    spec: { instanceRef, sizeMB: 2048, image: "compute/debian12", rootPasswordSecretRef: { name: "root" } },
    path: /disks$/,
    sent: { root_pass: password },
  },
  {
    kind: "ComputeAction",
    spec: { instanceRef, action: "Rebuild", image: "compute/debian12", passwordSecretRef: { name: "root" }, notAfter },
    path: /rebuild$/,
    sent: { root_pass: password },
  },
  {
    kind: "ComputeAction",
    spec: { instanceRef, action: "ResetPassword", passwordSecretRef: { name: "root" }, notAfter },
    path: /password$/,
    sent: { root_pass: password },
  },
];

async function sentFor(world: World, { kind, spec, path }: Use): Promise<JsonObject[]> {
  world.cluster.create("ComputeInstance", "vm", { region: "us-east", type: "g6-standard-1" });
  await world.advance(madeMs);
  const since = world.cloud.ledger().length;
  world.cluster.create(kind, "one", spec);
  await world.advance(soonMs);
  const posts = changesIn(world.cloud.ledger().slice(since)).filter((one) => path.test(one.path));
  return posts.map(({ body }) => body ?? {});
}

describe.each(passwords)("a password for a $kind in $path", (use) => {
  it.each([
    { stored: password, because: "without a line break" },
    { stored: `${password}\n`, because: "with the line break of --from-file" },
    { stored: `${password}\r\n`, because: "with the line break of Windows" },
  ])("is sent without a line break: $because", async ({ stored }) => {
    const world = createWorld();
    world.cluster.secret("root", { password: stored });
    const sent = await sentFor(world, use);
    expect(sent, messageOf(world, use.kind, "one")).toMatchObject([use.sent]);
  });

  it.each([
    { stored: `${password}\n\n`, because: "two line breaks at the end" },
    { stored: `correct\nhorse`, because: "a line break inside" },
    { stored: "short\n", because: "too few characters" },
    { stored: "x".repeat(129), because: "too many characters" },
  ])("is refused with the key and the Secret: $because", async ({ stored }) => {
    const world = createWorld();
    world.cluster.secret("root", { password: stored });
    expect(await sentFor(world, use)).toEqual([]);
    expect(stateOf(world, use.kind, "one")).toBe("InvalidSpec");
    const message = messageOf(world, use.kind, "one");
    expect(message).toContain("the value of key password in Secret root must have 7 to 128 characters in one line");
    expect(message).not.toContain(stored.trim().slice(0, 5));
  });
});

it("answers to security questions lose one line break, and keep spaces", async () => {
  const world = createWorld();
  world.cluster.secret("answers", { one: "Ankh-Morpork\n", two: " Unseen ", three: "Gaspode" });
  world.cluster.create("SecurityQuestions", "answers", { questions: asked(1, 3, 5) });
  await world.advance(soonMs);
  expect(world.cluster.get("SecurityQuestions", "answers")).toBeReady();
  expect(world.cloud.ledger().findLast(({ method }) => method === "POST")?.body).toMatchObject({
    security_questions: [{ response: "Ankh-Morpork" }, { response: " Unseen " }, { response: "Gaspode" }],
  });
});

it("an answer that the cloud API would refuse is InvalidSpec, and nothing is sent", async () => {
  const world = createWorld();
  world.cluster.secret("answers", { one: "Ankh-Morpork", two: "xy\n", three: "Gaspode" });
  world.cluster.create("SecurityQuestions", "answers", { questions: asked(1, 3, 5) });
  await world.advance(soonMs);
  expect(stateOf(world, "SecurityQuestions", "answers")).toBe("InvalidSpec");
  expect(messageOf(world, "SecurityQuestions", "answers")).toContain(
    "spec.questions[1].answerSecretRef: the value of key two",
  );
  expect(changes(world)).toEqual([]);
});

it("a code of a phone with spaces is InvalidSpec, and is not tried", async () => {
  const world = createWorld();
  world.cluster.secret("phone-code", { code: "" });
  const spec = { phoneNumber: "+436601234567", isoCode: "AT", codeSecretRef: { name: "phone-code" } };
  world.cluster.create("PhoneVerification", "mobile", spec);
  await world.advance(soonMs);
  expect(stateOf(world, "PhoneVerification", "mobile")).toBe("CodeSent");
  const since = world.cloud.ledger().length;
  world.cluster.patch("Secret", "phone-code", { stringData: { code: `${code.slice(0, 3)} ${code.slice(3)}` } });
  await world.advance(soonMs);
  expect(stateOf(world, "PhoneVerification", "mobile")).toBe("InvalidSpec");
  expect(changes(world, since)).toEqual([]);
});

it("user data keeps a line break at its end", async () => {
  const world = createWorld();
  world.cluster.secret("data", { "user-data": "#cloud-config\n" });
  const spec = { ...specs.ComputeInstance, userDataSecretRef: { name: "data" } };
  const use = { kind: "ComputeInstance", spec, path: /instances$/, sent: {} };
  const user_data = Buffer.from("#cloud-config\n").toString("base64");
  expect(await sentFor(world, use)).toMatchObject([{ metadata: { user_data } }]);
});

describe("each reference to a Secret", () => {
  const references = kinds.flatMap(({ kind, references: all = {} }) =>
    Object.entries(all).flatMap(([field, one]) => ("secret" in one ? [{ kind, field, one }] : [])),
  );

  it.each(references)("says what the value is: bytes, or which text is refused ($kind $field)", ({ one }) => {
    expect([one.encoding, typeof one.refuses]).toEqual(
      one.encoding === undefined ? [undefined, "function"] : ["base64", "undefined"],
    );
  });
});

function asked(...ids: number[]) {
  const keys = ["one", "two", "three"];
  return ids.map((questionID, index) => ({ questionID, answerSecretRef: { name: "answers", key: keys[index] ?? "" } }));
}
