/** A phone number: a code is sent once for each change of it, tried once, and never shown to anybody. */
import { expect, it } from "vitest";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { changes, messageOf, stateOf } from "../support.ts";

const path = "/profile/phone-number";
const spec = { phoneNumber: "+436601234567", isoCode: "AT", codeSecretRef: { name: "phone-code" } };

it("a code is asked for once, and the condition says where it belongs and until when", async () => {
  const world = await asked();
  expect(stateOf(world, "PhoneVerification", "mobile")).toBe("CodeSent");
  const said = messageOf(world, "PhoneVerification", "mobile");
  expect(said).toContain("key code of Secret phone-code in namespace default before 20");
  expect(said).toContain("spec.resend");
  await world.advance(4_000_000);
  world.restart();
  await world.advance(1_400_000);
  expect(changes(world)).toEqual([`POST ${path}`]);
});

it("the code in the Secret verifies the number, whoever writes it, and is shown to nobody", async () => {
  const world = await asked();
  const [code = ""] = phone(world).codes;
  await type(world, code);
  expect(stateOf(world, "PhoneVerification", "mobile"), messageOf(world, "PhoneVerification", "mobile")).toBe("Ready");
  expect(phone(world).verified).toBe(spec.phoneNumber);
  world.restart();
  await world.advance(1_400_000);
  expect(changes(world)).toEqual([`POST ${path}`, `POST ${path}/verify`]);
  const seen = [world.cluster.list("PhoneVerification"), world.cluster.events(), world.lines()];
  expect(JSON.stringify(seen)).not.toContain(code);
});

it("a wrong code is tried once, and the message says how to have another one sent", async () => {
  const world = await asked();
  await type(world, "999999");
  expect(stateOf(world, "PhoneVerification", "mobile")).toBe("CodeRefused");
  expect(messageOf(world, "PhoneVerification", "mobile")).toContain("Change spec.resend");
  world.restart();
  await world.advance(1_400_000);
  expect(changes(world)).toEqual([`POST ${path}`, `POST ${path}/verify`]);
  world.cluster.patch("PhoneVerification", "mobile", { spec: { resend: 1 } });
  await world.advance(60_000);
  expect(stateOf(world, "PhoneVerification", "mobile")).toBe("CodeSent");
  await type(world, phone(world).codes.at(-1) ?? "");
  expect(world.cluster.get("PhoneVerification", "mobile")).toBeReady();
});

it("a code that is put in too late is refused, and another one serves", async () => {
  const world = await asked();
  const [code = ""] = phone(world).codes;
  await world.advance(700_000);
  await type(world, code);
  expect(stateOf(world, "PhoneVerification", "mobile")).toBe("CodeRefused");
  world.cluster.patch("PhoneVerification", "mobile", { spec: { resend: 7 } });
  await world.advance(60_000);
  await type(world, phone(world).codes.at(-1) ?? "");
  expect(world.cluster.get("PhoneVerification", "mobile")).toBeReady();
});

it("another number takes the former one off and asks for a code again", async () => {
  const world = await asked();
  await type(world, phone(world).codes[0] ?? "");
  world.cluster.patch("PhoneVerification", "mobile", { spec: { phoneNumber: "+436607654321" } });
  await world.advance(60_000);
  expect(stateOf(world, "PhoneVerification", "mobile")).toBe("CodeSent");
  await type(world, phone(world).codes[1] ?? "");
  expect(phone(world).verified).toBe("+436607654321");
  expect(changes(world).slice(2)).toEqual([`DELETE ${path}`, `POST ${path}`, `POST ${path}/verify`]);
});

it("a number that somebody takes off is not verified again by itself", async () => {
  const world = await asked();
  await type(world, phone(world).codes[0] ?? "");
  phone(world).verified = undefined;
  await world.advance(1_400_000);
  expect(stateOf(world, "PhoneVerification", "mobile")).toBe("CodeRefused");
  expect(messageOf(world, "PhoneVerification", "mobile")).toContain("somebody has removed the number");
  expect(changes(world)).toHaveLength(2);
});

it("a number that the cloud API refuses is asked for once", async () => {
  const world = createWorld();
  world.cluster.create("PhoneVerification", "mobile", { ...spec, phoneNumber: "+43660000000" });
  await world.advance(1_400_000);
  world.restart();
  await world.advance(1_400_000);
  expect(stateOf(world, "PhoneVerification", "mobile")).toBe("Refused");
  expect(messageOf(world, "PhoneVerification", "mobile")).toContain("Must be a phone number");
  expect(changes(world)).toEqual([`POST ${path}`]);
});

it("what was refused for now is asked for again", async () => {
  const world = createWorld();
  world.cloud.fault({ kind: "tooMany", method: "POST", path: /phone-number/, times: 2 });
  world.cluster.create("PhoneVerification", "mobile", spec);
  await world.advance(300_000);
  expect(stateOf(world, "PhoneVerification", "mobile")).toBe("CodeSent");
  expect(phone(world).codes).toHaveLength(1);
});

it.each(["lostBefore", "lostAfter"] as const)("a request without a response (%s) is not repeated", async (kind) => {
  const world = createWorld();
  world.cloud.fault({ kind, method: "POST", path: /phone-number/ });
  world.cluster.create("PhoneVerification", "mobile", spec);
  await world.advance(700_000);
  world.restart();
  await world.advance(700_000);
  expect(stateOf(world, "PhoneVerification", "mobile")).toBe("CodeSent");
  expect(messageOf(world, "PhoneVerification", "mobile")).toContain("may have been sent");
  expect(changes(world)).toHaveLength(1);
});

it.each(Array.from({ length: 14 }, (_, index) => index * 2))(
  "no crash has two codes sent: at its call %i",
  async (steps) => {
    const world = createWorld();
    await world.advance(5_000);
    world.cluster.create("PhoneVerification", "mobile", spec);
    world.crashAfter(steps);
    await world.advance(60_000);
    if (world.processes().length === 0) world.restart();
    await world.advance(700_000);
    expect(changes(world).length).toBeLessThanOrEqual(1);
    expect(stateOf(world, "PhoneVerification", "mobile")).toBe("CodeSent");
  },
);

it("deleting the object takes off what it has verified, and nothing else", async () => {
  const world = await asked();
  await type(world, phone(world).codes[0] ?? "");
  world.cluster.delete("PhoneVerification", "mobile");
  await world.advance(60_000);
  expect(phone(world).verified).toBeUndefined();
  phone(world).verified = spec.phoneNumber;
  world.cluster.create("PhoneVerification", "found", spec);
  await world.advance(60_000);
  expect(world.cluster.get("PhoneVerification", "found")).toBeReady();
  world.cluster.delete("PhoneVerification", "found");
  await world.advance(60_000);
  expect(world.cluster.get("PhoneVerification", "found")).toBeUndefined();
  expect(phone(world).verified).toBe(spec.phoneNumber);
});

it.each(["another account", "the same account"])("to another user of %s a code is sent, too", async (whose) => {
  const world = await asked();
  const { account } = world.cloud.user("ada");
  const other = whose === "the same account" ? { account } : {};
  world.cloud.addUser({ token: "token-of-eve", username: "eve", ...other });
  world.cluster.secret("eve", { token: "token-of-eve" });
  world.cluster.delete("CloudAccount", "default");
  world.cluster.patch("CloudAccount", "default", { metadata: { finalizers: null } });
  await world.advance(60_000);
  world.cluster.create("CloudAccount", "default", { tokenSecretRef: { name: "eve" } });
  await world.advance(120_000);
  const { codes } = world.cloud.user("eve").phone;
  expect(stateOf(world, "PhoneVerification", "mobile"), messageOf(world, "PhoneVerification", "mobile")).toBe(
    "CodeSent",
  );
  expect(codes).toHaveLength(1);
  world.restart();
  await world.advance(1_400_000);
  expect(changes(world)).toEqual([`POST ${path}`, `POST ${path}`]);
  await type(world, codes[0] ?? "");
  expect(messageOf(world, "PhoneVerification", "mobile")).toContain("is wrong or has expired");
});

it("under Observe nothing is sent, and under Plan each request needs an approval", async () => {
  const world = createWorld();
  world.cluster.create("PhoneVerification", "mobile", spec, { management: { policy: "Observe" } });
  await world.advance(60_000);
  expect(changes(world)).toEqual([]);
  world.cluster.patch("PhoneVerification", "mobile", { spec: { management: { policy: "Plan" } } });
  await world.advance(60_000);
  expect(stateOf(world, "PhoneVerification", "mobile")).toBe("WaitingForApproval");
  await approve(world);
  expect(stateOf(world, "PhoneVerification", "mobile")).toBe("CodeSent");
  await type(world, phone(world).codes[0] ?? "");
  expect(JSON.stringify(world.cluster.get("PhoneVerification", "mobile")?.status)).toContain("(sensitive)");
  await approve(world);
  expect(world.cluster.get("PhoneVerification", "mobile")).toBeReady();
});

async function asked(): Promise<World> {
  const world = createWorld();
  world.cluster.create("PhoneVerification", "mobile", spec);
  await world.advance(60_000);
  return world;
}

function phone(world: World) {
  return world.cloud.user("ada").phone;
}

/** A person puts a code into the Secret. */
async function type(world: World, code: string): Promise<void> {
  const { cluster } = world;
  if (cluster.get("Secret", "phone-code"))
    cluster.patch("Secret", "phone-code", { data: { code: Buffer.from(code).toString("base64") } });
  else cluster.secret("phone-code", { code });
  await world.advance(60_000);
}

async function approve(world: World): Promise<void> {
  const { status = {} } = world.cluster.get("PhoneVerification", "mobile") ?? {};
  const { hash } = status["plan"] as { hash: string };
  world.cluster.annotate("PhoneVerification", "mobile", { "cloudplatform.dev/approve": hash });
  await world.advance(60_000);
}
