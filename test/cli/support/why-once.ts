/** Cases of objects that run once, or that wait for data of a user. */
import type { Reason } from "../../../src/core/kind/reasons.ts";
import { signedRecord } from "../../world/record.ts";
import { resources } from "../../world/cluster.ts";
import { createWorld } from "../../world/world.ts";
import type { World, WorldOptions } from "../../world/world.ts";
import { idOf, madeMs, minutes, paths, specs } from "../../core/support.ts";
import type { Case } from "./why-cases.ts";

const action = ["ComputeAction", "once"] as const;
const phone = ["PhoneVerification", "mobile"] as const;
const phoneSpec = { phoneNumber: "+436601234567", isoCode: "AT", codeSecretRef: { name: "phone-code" } };

/** A ready instance, and an action on the instance. */
async function acting(spec: object, prepare: (world: World) => void = () => undefined): Promise<World> {
  const world = createWorld();
  world.cluster.create("ComputeInstance", "vm", specs.ComputeInstance);
  await world.advance(madeMs);
  prepare(world);
  world.cluster.create("ComputeAction", "once", { instanceRef: { name: "vm" }, action: "Shutdown", ...spec });
  await world.advance(1_000);
  return world;
}

async function asked(): Promise<World> {
  const world = createWorld();
  world.cluster.create("PhoneVerification", "mobile", phoneSpec);
  await world.advance(minutes(1));
  return world;
}

function writeCode({ cluster }: World, code: string): void {
  const exists = cluster.get("Secret", "phone-code") !== undefined;
  if (exists) cluster.patch("Secret", "phone-code", { data: { code: Buffer.from(code).toString("base64") } });
  else cluster.secret("phone-code", { code });
}

const options: WorldOptions = {};

export const once = {
  Complete: {
    arrange: async () => {
      const world = await acting({});
      await world.advance(minutes(5));
      return world;
    },
    object: action,
    cause: "ComputeAction default/once is Ready",
  },
  Running: {
    arrange: () => acting({}, ({ cloud }) => void (cloud.settings.beginMs = 60_000)),
    object: action,
    cause: "Running",
    cure: () => undefined,
    afterMs: minutes(20),
    after: "Complete",
  },
  Superseded: {
    arrange: async () => {
      const world = createWorld();
      world.cluster.create("ComputeSnapshot", "saved", { instanceRef: { name: "vm" } });
      await world.advance(10_000);
      const object = world.cluster.get("ComputeSnapshot", "saved")!;
      const run = {
        id: "run",
        startedAt: "2026-01-01T00:00:00Z",
        result: "Superseded" as const,
        made: "77",
        message: "gone",
      };
      const ref = { namespace: "default", name: "saved" };
      const status = { run, record: signedRecord(object, { run }) };
      world.cluster.objects.patch(resources.get("ComputeSnapshot")!, ref, { status }, "status");
      world.restart();
      await world.advance(minutes(2));
      return world;
    },
    object: ["ComputeSnapshot", "saved"],
    cause: "Superseded",
  },
  Expired: {
    arrange: () => acting({ notAfter: "2025-12-31T00:00:00Z" }),
    object: action,
    cause: "spec.notAfter: 2025-12-31T00:00:00Z has passed",
    cure: /kubectl delete computeaction once/,
    after: "gone",
  },
  Failed: {
    arrange: async () => {
      const world = await acting({ action: "Reboot" });
      world.cluster.delete("ComputeInstance", "vm");
      await world.advance(minutes(1));
      return world;
    },
    object: action,
    cause: "no longer exists",
    cure: /kubectl delete computeaction once/,
    after: "gone",
  },
  OperationUncertain: {
    arrange: async () => {
      const lose = ({ cloud }: World) => cloud.fault({ kind: "lostBefore", method: "POST", path: /shutdown$/ });
      const world = await acting({}, lose);
      await world.advance(minutes(15));
      return world;
    },
    object: action,
    cause: "The operator does not repeat the operation",
    cure: /cloudplatform retry computeaction once/,
    after: "Complete",
  },
  NotPermitted: {
    arrange: async () => {
      const world = createWorld(Object.assign(options, { allowAccountActions: false }));
      world.cloud.add(paths.Bucket, { label: "old", cluster: "us-east-1" });
      const spec = { action: "CancelObjectStorage", confirmAccount: "ada", notAfter: "2099-01-01T00:00:00Z" };
      world.cluster.create("AccountAction", "end", spec);
      await world.advance(minutes(12));
      return world;
    },
    object: ["AccountAction", "end"],
    cause: "the chart value settings.allowAccountActions",
    cure: (world) => {
      options.allowAccountActions = true;
      world.restart();
    },
    after: "Complete",
  },
  CodeSent: {
    arrange: asked,
    object: phone,
    cause: "Cause: Secret default/phone-code: Secret phone-code does not exist in namespace default",
    cure: (world) => writeCode(world, world.cloud.user("ada").phone.codes.at(-1) ?? ""),
  },
  CodeRefused: {
    arrange: async () => {
      const world = await asked();
      writeCode(world, "999999");
      await world.advance(minutes(1));
      return world;
    },
    object: phone,
    cause: "Change spec.resend",
    cure: async (world) => {
      world.cluster.patch("PhoneVerification", "mobile", { spec: { resend: 1 } });
      await world.advance(minutes(1));
      writeCode(world, world.cloud.user("ada").phone.codes.at(-1) ?? "");
    },
  },
  WaitingForUpload: {
    arrange: async () => {
      const world = createWorld();
      world.cluster.create("Image", "golden", { label: "golden", source: { handOff: { region: "us-east" } } });
      await world.advance(minutes(1));
      return world;
    },
    object: ["Image", "golden"],
    cause: "Secret golden-image-upload",
    cure: (world) =>
      world.cloud.change("/images", idOf(world, "Image", "golden"), { status: "available", size: 2_500 }),
  },
} as const satisfies Partial<Record<Reason, Case>>;
