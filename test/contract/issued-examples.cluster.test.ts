/** The contract of what is issued into a Secret and sets nothing, for each example of each such kind. */
import { describe, expect } from "vitest";
import { contractTest, secrets } from "./support/contract-test.ts";
import type { ContractWorld } from "./support/contract-test.ts";
import { onlyHere } from "./support/exceptions.ts";
import { eventually, stageOf } from "./support/stage.ts";
import { everyIssued } from "./support/subjects.ts";
import { countWrites } from "./support/writes.ts";

describe.concurrent("What expires is issued once, again for each change, and takes nothing along when it goes", () => {
  contractTest.for(everyIssued)("$title", { timeout: 60_000 }, async (subject, { world }) => {
    const stage = stageOf(world, subject);
    await stage.prepare();
    world.simulator.control.clearLedger();
    const first = countWrites(stage);
    await stage.create();
    await stage.ready();
    const { object, secrets: written } = await first();
    expect(object.slice(1)).toEqual([`patch ${subject.kind.plural}/status`]);
    expect(written).toHaveLength(1);
    expect(stage.mutations()).toHaveLength(1);

    const writes = countWrites(stage);
    const key = `${subject.kind.kind}/${world.namespace}/${stage.name}`;
    const looks = world.looks(key);
    await world.restartOperator();
    await eventually(() => expect(world.looks(key)).toBeGreaterThan(looks));
    expect(await writes()).toEqual({ object: [], secrets: [] });

    for (const [field, change] of Object.entries(subject.example.changes ?? {})) {
      const before = await issuedOf(world);
      await stage.change({ ...subject.example.spec, ...change });
      await stage.ready();
      const after = await issuedOf(world);
      expect(after, field).toHaveLength(1);
      if (!onlyHere(subject.kind.kind, field)) expect(after, field).not.toEqual(before);
    }
    const sent = stage.mutations().length;
    await stage.remove();
    await stage.gone();
    expect(stage.mutations()).toHaveLength(sent);
  });
});

describe.concurrent("A pre-signed URL does what it was made for", () => {
  const uploads = everyIssued.filter(({ example }) => example.spec["method"] === "PUT");
  contractTest.for(uploads)("$title", { timeout: 60_000 }, async (subject, { world }) => {
    const stage = stageOf(world, subject);
    await stage.prepare();
    await stage.create();
    await stage.ready();
    const [data = {}] = await issuedOf(world);
    const headers = { "content-type": data["contentType"] ?? "" };
    const answer = await fetch(data["url"] ?? "", { method: data["method"] ?? "", headers, body: "a,b" });
    expect(answer.status).toBe(200);
    const { objectKey } = subject.example.spec as { objectKey: string };
    const list = await world.stranger.list("/object-storage/buckets/us-east-1/media/object-list");
    expect(list.map(({ name }) => name)).toEqual([objectKey]);
  });
});

/** The data of the Secrets that objects of this test own. */
async function issuedOf(world: ContractWorld): Promise<Record<string, string>[]> {
  const { stdout } = await world.cluster.kubectl(["get", secrets.plural, "-n", world.namespace, "-o", "json"]);
  const { items } = JSON.parse(stdout) as { items: { data: Record<string, string>; metadata: object }[] };
  return items
    .filter(({ metadata }) => "ownerReferences" in metadata)
    .map(({ data }) =>
      Object.fromEntries(Object.entries(data).map(([name, text]) => [name, Buffer.from(text, "base64").toString()])),
    );
}
