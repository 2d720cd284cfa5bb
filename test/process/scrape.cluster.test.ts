import { expect, onTestFinished, test } from "vitest";
import { freePort } from "../../tools/local-cluster/servers.ts";
import { createProcesses, operatorArgs } from "../campaigns/support/processes.ts";
import { sharedControlPlane } from "../support/control-plane.ts";
import { startWorld } from "../support/world.ts";
import type { World } from "../support/world.ts";
import { documentedMetrics, parsePage } from "./reference.ts";

const sshKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJyb2FkLWV4YW1wbGUta2V5LWZvci1kb2N1bWVudHMh ada@laptop";

/** What need not show at a moment when all is well. */
const silent: Record<string, string> = {
  cloudplatform_uncertain_creates: "no creation is uncertain",
  cloudplatform_rate_limit_refused_total: "no rate limit is used up",
  nodejs_active_requests: "the program may be waiting for none",
  nodejs_gc_duration_seconds: "there may have been no collection yet",
};

/** A program as it is shipped, with metrics at a port of its own. */
async function startProgram(world: World): Promise<{ url: string; lines: () => string[] }> {
  const processes = createProcesses();
  onTestFinished(() => processes.close());
  const address = `127.0.0.1:${await freePort()}`;
  const { kubeconfigPath } = sharedControlPlane();
  const more = ["--metrics-address", address];
  const { namespace, simulator } = world;
  const args = operatorArgs({ kubeconfigPath, cloud: simulator.url, namespace, more });
  const { lines } = await processes.operator(args, '"leading"');
  return { url: `http://${address}/metrics`, lines };
}

test("a program at work shows every metric of the reference, no other, and with just those labels", async () => {
  const world = await startWorld(sharedControlPlane(), { start: false });
  onTestFinished(() => world.stop());
  const { url } = await startProgram(world);
  await world.apply(
    world.object("SSHKey", "laptop-of-ada", { sshKey }),
    // Who may read it is compared apart from any list.
    world.object("Bucket", "media", { cluster: "us-east-1" }),
    world.object("Domain", "example-org", { domain: "example.org", type: "master", soaEmail: "ada@example.org" }),
    world.object("DomainRecord", "www", {
      domainRef: { name: "example-org" },
      type: "A",
      name: "www",
      target: "192.0.2.7",
    }),
    world.object("ComputeInstance", "empty", { region: "us-east", type: "g6-standard-1" }),
  );
  await world.ready("ComputeInstance", "empty");
  await world.ready("SSHKey", "laptop-of-ada");
  await world.ready("DomainRecord", "www");
  await world.ready("Bucket", "media");
  await world.apply(
    world.object("Domain", "twin", { domain: "example.org", type: "master", soaEmail: "ada@example.org" }),
  );
  await world.condition("Domain", "twin", "Stalled", "Conflict");
  const read = async () => parsePage(await (await fetch(url)).text());
  await expect
    .poll(async () => (await read()).samples.map(({ metric }) => metric), { timeout: 20_000 })
    .toEqual(
      expect.arrayContaining(["cloudplatform_event_feed_age_seconds", "cloudplatform_guard_age_seconds"]) as unknown,
    );

  const { types, samples } = await read();
  const documented = documentedMetrics();
  expect(Object.fromEntries(types)).toEqual(Object.fromEntries(documented.map(({ name, type }) => [name, type])));
  const seen = Map.groupBy(samples, ({ metric }) => metric);
  const missing = documented.filter(({ name }) => !seen.has(name) && !(name in silent));
  expect(missing.map(({ name }) => name)).toEqual([]);
  const wrong = documented.filter(({ name, labels }) =>
    seen
      .get(name)
      ?.some((sample) => !Object.keys(sample.labels).every((each) => [...labels, "le", "quantile"].includes(each))),
  );
  expect(wrong).toEqual([]);

  const count = (labels: Record<string, string>) =>
    samples.filter((one) => Object.entries(labels).every(([name, value]) => one.labels[name] === value)).length;
  expect(count({ kind: "Domain", condition: "Stalled", status: "True", reason: "Conflict" })).toBe(1);
  expect(samples.filter(({ metric }) => metric === "cloudplatform_objects_not_ready")).toEqual([
    expect.objectContaining({ labels: { object_namespace: world.namespace } }) as unknown,
  ]);
  expect(samples.filter(({ metric }) => metric === "cloudplatform_monthly_cost_dollars")).toEqual([
    expect.objectContaining({
      labels: { object_namespace: world.namespace, kind: "ComputeInstance" },
    }) as unknown,
  ]);
  expect(count({ operation: "POST /profile/sshkeys", code: "200" })).toBe(1);
  expect(count({ resource: "sshkeys/status", verb: "patch" })).toBe(1);
});

test("a program at work writes at info what it made, and nothing of objects that are settled or wait", async () => {
  const world = await startWorld(sharedControlPlane(), { start: false });
  onTestFinished(() => world.stop());
  const { lines } = await startProgram(world);
  await world.apply(
    world.object("SSHKey", "laptop", { sshKey }),
    world.object("DomainRecord", "www", {
      domainRef: { name: "missing" },
      type: "A",
      name: "www",
      target: "192.0.2.7",
    }),
  );
  await world.ready("SSHKey", "laptop");
  await world.condition("DomainRecord", "www", "Reconciling", "WaitingForReference");
  const written = lines()
    .map((line) => JSON.parse(line) as { level: string; msg: string })
    .filter(({ level }) => level === "info")
    .map(({ msg }) => msg);
  const made = "created the installation key; back up the Secret together with the objects";
  expect(written).toEqual([
    made,
    "waiting for caches and leadership",
    "this process holds the lease",
    "leading",
    expect.stringMatching(/^Connected as /),
    expect.stringMatching(/^Created SSH key \d+ \(laptop\)$/),
  ]);
});

test("no label names an object, an identifier or a secret", async () => {
  const world = await startWorld(sharedControlPlane(), { start: false });
  onTestFinished(() => world.stop());
  const { url } = await startProgram(world);
  const bucket = { label: "a-bucket-of-its-own", cluster: "us-east-1" };
  await world.apply(
    world.object("Bucket", "bucket-object", bucket),
    world.object("Domain", "zone-object", { domain: "named.example", type: "master", soaEmail: "ada@named.example" }),
    world.object("DomainRecord", "record-object", {
      domainRef: { name: "zone-object" },
      type: "TXT",
      name: "txt",
      target: "words",
    }),
  );
  await world.ready("Bucket", "bucket-object");
  await world.ready("DomainRecord", "record-object");
  const page = await (await fetch(url)).text();
  expect(page).toContain('collection="/domains/*/records"');
  for (const secret of [world.simulator.token, "a-bucket-of-its-own", "named.example", "-object", "words"])
    expect(page).not.toContain(secret);
  expect(page).not.toMatch(/(collection|operation|limit)="[^"]*\/\d/);
});
