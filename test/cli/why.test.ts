import { describe, expect, it } from "vitest";
import type { CommandDefinition, OptionValues } from "../../src/cli/command.ts";
import { commands } from "../../src/cli/program.ts";
import { why } from "../../src/cli/commands/why.ts";
import { reasonDocs } from "../../src/core/kind/reasons.ts";
import type { Reason } from "../../src/core/kind/reasons.ts";
import { statusOf } from "../../src/core/kind/object.ts";
import { secrets } from "../../src/cluster/secrets.ts";
import { KubeError } from "../../src/cluster/errors.ts";
import { resources } from "../../src/twin/definitions.ts";
import { createWorld } from "../world/world.ts";
import type { World } from "../world/world.ts";
import { manage, specs } from "../core/support.ts";
import { cases, withKey } from "./support/why-cases.ts";
import type { Case } from "./support/why-cases.ts";
import { runOn } from "./support/world-cluster.ts";

const all = Object.entries(cases) as [Reason, Case][];

function ask(world: World, [kind, name, namespace = "default"]: Case["object"], options: OptionValues = {}) {
  return runOn(world, why, [kind, name], { namespace, options });
}

function reasonsOf({ cluster }: World, [kind, name, namespace]: Case["object"]): string[] {
  const object = cluster.get(kind, name, namespace);
  return object ? (statusOf(object).conditions ?? []).map(({ reason }) => reason) : ["gone"];
}

/** Runs a command for users that the explanation names. */
async function obey(world: World, command: string, fill: string): Promise<void> {
  const words = [...command.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word.replace(/<\w+>/, fill));
  const [, verb = "", kind = "", name = ""] = words;
  const namespace = words[words.indexOf("-n") + 1];
  const at = world.cluster.list().find((one) => one.kind.toLowerCase() === kind)?.kind ?? "";
  if (verb === "cloudplatform") {
    const used = commands.find((one) => one.name === kind) as CommandDefinition;
    const args = words.slice(3, words.indexOf("-n"));
    const { code, err } = await runOn(world, used, args, { namespace: namespace!, options: { yes: true } });
    expect(code, err).toBe(0);
  } else if (verb === "patch") world.cluster.patch(at, name, JSON.parse(words.at(-1)!) as object as never, namespace);
  else if (verb === "delete") world.cluster.delete(at, name, namespace);
  else store(world, namespace!, command, fill);
}

/** Stores a value as the command does: `create` needs an absent Secret, `patch` an existing one. */
function store({ cluster }: World, namespace: string, command: string, fill: string): void {
  const [create = "", change] = command.split(" | ");
  const [, name = "", key = ""] = /create secret generic (\S+) --from-file=(\S+)=<file>/.exec(create) ?? [];
  const ref = { namespace, name };
  if (change === undefined) {
    cluster.secret(name, { [key]: fill }, namespace);
    return;
  }
  expect(create).toMatch(/ --dry-run=client -o json$/);
  expect(change).toBe(`kubectl -n ${namespace} patch secret ${name} --type=merge --patch-file=/dev/stdin`);
  cluster.objects.patch(secrets, ref, { stringData: { [key]: fill } });
}

describe("why explains", () => {
  it.each(all)("%s: names the cause, and a cure that works", async (reason, one) => {
    const world = await one.arrange();
    expect(reasonsOf(world, one.object)).toContain(reason);
    const { code, out } = await ask(world, one.object);
    expect(code).toBe(0);
    expect(out).toMatch(one.cause);
    const { because } = JSON.parse((await ask(world, one.object, { output: "json" })).out) as { because: Shown[] };
    const roots = because.flatMap(rootsOf);
    const docs = roots.map(({ reason: of, cure }) => (of === undefined ? cure : reasonDocs[of as Reason].cure));
    expect(roots.map(({ cure }) => cure)).toEqual(docs);
    const { cure } = one;
    if (cure instanceof RegExp) {
      const command = roots.flatMap(({ commands: named }) => named).find((named) => cure.test(named));
      expect(command, out).toBeDefined();
      await obey(world, command!, one.fill ?? "");
    } else await cure?.(world);
    if (cure === undefined) return;
    await world.advance(one.afterMs ?? 700_000);
    const { after = "Ready" } = one;
    const settled = after === "gone" ? ["gone"] : [after];
    expect(reasonsOf(world, one.object)).toEqual(expect.arrayContaining(settled));
    if (after === "Ready") expect(world.cluster.get(...one.object)).toBeReady();
    expect(reasonsOf(world, one.object)).not.toContain(reason);
  });
});

interface Shown {
  subject: string;
  reason?: string;
  cure: string;
  commands: string[];
  because: Shown[];
}

function rootsOf(link: Shown): Shown[] {
  return link.because.length === 0 ? [link] : link.because.flatMap(rootsOf);
}

describe("an explanation", () => {
  const record = { domainRef: { name: "zone" }, type: "A", name: "www", target: "192.0.2.1" };

  it("follows a record, its zone and the account to the Secret, and shows the last events", async () => {
    const world = createWorld();
    await world.settle();
    world.cluster.objects.patch(
      secrets,
      { namespace: "default", name: "cloud-token" },
      { stringData: { token: "canary-1" } },
    );
    world.cluster.create("Domain", "zone", specs.Domain);
    world.cluster.create("DomainRecord", "www", record);
    await world.advance(120_000);
    const { out, err } = await ask(world, ["DomainRecord", "www"]);
    expect(out).toContain("because Secret default/cloud-token");
    expect(out).toContain("Last changes:");
    expect(out.split("\n").filter((line) => line.startsWith("Cause:"))).toHaveLength(1);
    expect(out + err).not.toContain("canary");
  });

  it("names both objects of a cycle", async () => {
    const world = createWorld({ start: false });
    const condition = { type: "Ready", status: "False", reason: "WaitingForReference", message: "waits" };
    const waiting = { conditions: [{ ...condition, lastTransitionTime: "2026-01-01T00:00:00Z" }] };
    const ready = { conditions: [{ ...waiting.conditions[0], status: "True", reason: "Connected" }] };
    const put = (kind: string, name: string, status: object) =>
      world.cluster.objects.patch(resources.get(kind)!, { namespace: "default", name }, { status }, "status");
    world.cluster.create("ComputeInstance", "a", { ...specs.ComputeInstance, source: { backup: { name: "b" } } });
    world.cluster.create("ComputeSnapshot", "b", { instanceRef: { name: "a" } });
    put("CloudAccount", "default", ready);
    put("ComputeInstance", "a", waiting);
    put("ComputeSnapshot", "b", waiting);
    const { out } = await ask(world, ["ComputeInstance", "a"]);
    expect(out).toContain("ComputeInstance default/a also waits for this object");
    expect(out).toContain("If two objects wait for each other, create one of them again without the reference");
  });

  it("adds a key to a Secret, and keeps the other keys", async () => {
    const world = createWorld();
    world.cluster.create("Bucket", "media", specs.Bucket);
    world.cluster.secret("texts", { terms: "no warranty" });
    const spec = { bucketRef: { name: "media" }, objectKey: "robots.txt", contentSecretRef: { name: "texts" } };
    world.cluster.create("BucketObject", "robots", spec);
    await world.advance(60_000);
    const { out } = await ask(world, ["BucketObject", "robots"], { output: "json" });
    const { because } = JSON.parse(out) as { because: Shown[] };
    const [command = ""] = because.flatMap(rootsOf).flatMap(({ commands: named }) => named);
    await obey(world, command, "allow");
    await world.advance(600_000);
    expect(world.cluster.get("BucketObject", "robots")).toBeReady();
    const ref = { namespace: "default", name: "texts" };
    expect(Object.keys((world.cluster.objects.get(secrets, ref) as { data?: object }).data ?? {})).toEqual([
      "terms",
      "content",
    ]);
  });

  it("of an object in deletion does not say that it is Ready", async () => {
    const world = await withKey();
    world.cloud.fault({ kind: "unreachable", method: "DELETE", times: 1_000 });
    world.cluster.delete("SSHKey", "laptop");
    await world.advance(1_000);
    const { out } = await ask(world, ["SSHKey", "laptop"]);
    expect(out).toContain("SSHKey default/laptop is not Ready");
  });

  it("of a paused object in deletion says what a resume deletes, and names orphan before resume", async () => {
    const world = await withKey();
    manage(world, "SSHKey", "laptop", { policy: "Paused" });
    world.cluster.delete("SSHKey", "laptop");
    await world.advance(1_000);
    const { out } = await ask(world, ["SSHKey", "laptop"]);
    expect(out).toContain("is in deletion: the operator then deletes");
    expect(out).toMatch(/cloudplatform orphan sshkey laptop -n default\n +kubectl cloudplatform resume sshkey laptop/);
  });

  it("of an object that no operator has seen leads to doctor", async () => {
    const world = createWorld({ start: false });
    world.cluster.create("SSHKey", "laptop", specs.SSHKey);
    const { out } = await ask(world, ["SSHKey", "laptop"]);
    expect(out).toContain("no operator has reconciled the object yet");
    expect(out).toContain("kubectl cloudplatform doctor");
  });

  it("of an object that names the Secret of the token tells nobody to write to it", async () => {
    const world = createWorld();
    world.cluster.create("Bucket", "media", specs.Bucket);
    const spec = { bucketRef: { name: "media" }, objectKey: "robots.txt", contentSecretRef: { name: "cloud-token" } };
    world.cluster.create("BucketObject", "robots", spec);
    await world.advance(60_000);
    expect(reasonsOf(world, ["BucketObject", "robots"])).toContain("InvalidSpec");
    const { out } = await ask(world, ["BucketObject", "robots"]);
    expect(out).toContain("Secret cloud-token holds the token of CloudAccount default");
    expect(out).not.toMatch(/has no value under the key|kubectl.*secret/);
  });

  it("does without what the user may not read", async () => {
    const world = await withKey();
    world.cluster.objects.patch(secrets, { namespace: "default", name: "cloud-token" }, { stringData: { token: "" } });
    world.cluster.patch("SSHKey", "laptop", { spec: { label: "renamed" } });
    await world.advance(60_000);
    const forbidden = () => Promise.reject(new KubeError("forbidden", { status: 403 }));
    const object = world.cluster.get("SSHKey", "laptop");
    const kube = { list: forbidden, get: () => Promise.resolve(object) };
    const hidden = await runOn(world, why, ["sshkey", "laptop"], { kube });
    expect(hidden.code).toBe(0);
    expect(hidden.out).toContain("TokenMissing");
  });
});
