/** An instance that is made of a backup: which one, and whose word that is. */
import { describe, expect, it } from "vitest";
import { resources } from "../../../src/twin/definitions.ts";
import { forgedRecord, signedRecord } from "../../world/record.ts";
import { createWorld } from "../../world/world.ts";
import type { World } from "../../world/world.ts";
import { idOf, messageOf, paths, specs } from "../support.ts";

const soonMs = 60_000;

/** The backups that instances were asked to be made of. */
function backupsAsked({ cloud }: World): number[] {
  const creations = cloud.ledger().filter(({ method, path }) => method === "POST" && path === paths.ComputeInstance);
  return creations.flatMap(({ body }) => (body as { backup_id?: number }).backup_id ?? []);
}

describe("source.backup", () => {
  const begun = { id: "run", startedAt: "2026-01-01T00:00:00Z" };
  const complete = { ...begun, result: "Complete" as const, made: "77" };
  it.each([
    { what: "complete", run: complete, isSigned: true, sent: [77], says: undefined },
    {
      what: "said to be complete by whoever writes its status",
      run: complete,
      isSigned: false,
      sent: [],
      says: "not complete yet",
    },
    {
      what: "superseded",
      run: { ...complete, result: "Superseded" as const },
      isSigned: true,
      sent: [],
      says: "superseded. Its own",
    },
    {
      what: "failed",
      run: { ...begun, result: "Failed" as const },
      isSigned: true,
      sent: [],
      says: "failed. Its own condition",
    },
  ])("of what a ComputeSnapshot that is $what has made", async ({ run, isSigned, sent, says }) => {
    const world = createWorld();
    const { image: _image, ...bare } = specs.ComputeInstance;
    world.cluster.create("ComputeInstance", "copy", { ...bare, source: { backup: { name: "saved" } } });
    world.cluster.create("ComputeSnapshot", "saved", { instanceRef: { name: "web" } });
    await world.advance(soonMs);
    expect(messageOf(world, "ComputeInstance", "copy")).toContain("ComputeSnapshot saved is not complete yet");
    const saved = { namespace: "default", name: "saved" };
    const object = world.cluster.get("ComputeSnapshot", "saved")!;
    const status = { run, record: isSigned ? signedRecord(object, { run }) : forgedRecord(object, { run }) };
    world.cluster.objects.patch(resources.get("ComputeSnapshot")!, saved, { status }, "status");
    // At once, and not when it would look again.
    await world.advance(1_000);
    expect(backupsAsked(world)).toEqual(sent);
    if (says !== undefined) expect(messageOf(world, "ComputeInstance", "copy")).toContain(`saved is ${says}`);
  });

  it.each(["Failed", "Superseded"] as const)(
    "is not what somebody wrote into a run as %s, for the operator to sign it, and then said to be complete",
    async (result) => {
      const world = createWorld();
      const { image: _image, ...bare } = specs.ComputeInstance;
      world.cluster.create("ComputeInstance", "copy", { ...bare, source: { backup: { name: "saved" } } });
      world.cluster.create("ComputeSnapshot", "saved", { instanceRef: { name: "web" } });
      await world.advance(soonMs);
      const forge = async (run: object): Promise<void> => {
        const saved = { namespace: "default", name: "saved" };
        const record = forgedRecord(world.cluster.get("ComputeSnapshot", "saved"), { run });
        world.cluster.objects.patch(resources.get("ComputeSnapshot")!, saved, { status: { run, record } }, "status");
        await world.advance(soonMs);
      };
      await forge({ ...complete, result });
      world.cluster.patch("ComputeSnapshot", "saved", { spec: { management: { policy: "Paused" } } });
      world.restart();
      await forge(complete);
      expect(backupsAsked(world)).toEqual([]);
    },
  );

  it("by an id that is that of a managed instance as well is a backup's", async () => {
    const world = createWorld();
    const { image: _image, ...bare } = specs.ComputeInstance;
    world.cluster.create("ComputeInstance", "web", specs.ComputeInstance);
    await world.advance(soonMs);
    const id = idOf(world, "ComputeInstance", "web");
    world.cluster.create("ComputeInstance", "copy", { ...bare, source: { backup: { id } } });
    await world.advance(soonMs);
    expect(backupsAsked(world)).toEqual([Number(id)]);
  });
});
