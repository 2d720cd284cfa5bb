import { expect, it } from "vitest";
import { readAccount } from "../../src/twin/read-account.ts";
import type { AccountReads } from "../../src/twin/read-account.ts";
import { openRun } from "../../src/twin/run.ts";
import type { Run } from "../../src/twin/run.ts";
import { resources } from "../../src/twin/definitions.ts";
import { conditionOf } from "../world/world.ts";
import { emptyAccount, fill, openAccount, start } from "./accounts.ts";

type Created = (kind: string, name: string, spec: object) => void;

/** Runs the operator with these objects until it rests. */
async function ran(account: AccountReads, arrange: (create: Created) => void): Promise<Run> {
  const run = await openRun({ account, start });
  const create = (kind: string, name: string, spec: object) =>
    run.objects.create(resourceOf(kind), { metadata: { name, namespace: "default" }, spec });
  run.addToken(create("CloudAccount", "default", { tokenSecretRef: { name: "cloud-token" } }));
  arrange(create);
  run.start();
  expect(await run.rest()).toMatchObject({ rested: true });
  return run;
}

function resourceOf(kind: string) {
  const resource = resources.get(kind);
  if (!resource) throw new Error(`no kind ${kind}`);
  return resource;
}

function ready(run: Run, kind: string, name: string): string | undefined {
  return conditionOf(run.objects.get(resourceOf(kind), { namespace: "default", name }), "Ready")?.reason;
}

const instance = { region: "us-east", type: "g6-standard-1", image: "compute/debian12", label: "web" };
const domain = { domain: "example-0.org", type: "master", soaEmail: "bob@example.org" };

it("the operator of a run creates cloud objects in the copy, and waits for them, without real time", async () => {
  const run = await ran(emptyAccount, (create) => {
    create("ComputeInstance", "web", instance);
    create("Firewall", "wall", {
      label: "wall",
      inboundPolicy: "DROP",
      outboundPolicy: "ACCEPT",
      instanceRefs: [{ name: "web" }],
    });
  });
  expect(run.sent().map(({ key, method, path }) => `${key} ${method} ${path}`)).toEqual([
    "ComputeInstance/default/web POST /compute/instances",
    "Firewall/default/wall POST /networking/firewalls",
  ]);
  expect([ready(run, "ComputeInstance", "web"), ready(run, "Firewall", "wall")]).toEqual(["Ready", "Ready"]);
  await run.close();
});

it("a request that changes the copy names its object, the values before, and the cause", async () => {
  const account = await openAccount();
  await fill(account);
  const run = await ran(await readAccount(account.client), (create) =>
    create("Domain", "old", {
      ...domain,
      management: { adopt: { filter: { domain: "example-0.org" }, overwrite: true } },
    }),
  );
  expect(run.sent()).toMatchObject([
    {
      key: "Domain/default/old",
      method: "PUT",
      body: { soa_email: "bob@example.org" },
      before: { soa_email: "ada@example.org" },
      call: { changes: [{ field: "soa_email", desired: "bob@example.org", observed: "ada@example.org" }] },
    },
  ]);
  await run.close();
});

it("the ledger of the copy has exactly the noted requests", async () => {
  const run = await ran(emptyAccount, (create) => create("Domain", "new", domain));
  expect(run.copy.ledger()).toHaveLength(run.sent().length);
  await run.close();
});

it("the same run twice sends the same requests", async () => {
  const requests = async () => {
    const run = await ran(emptyAccount, (create) => {
      for (let n = 0; n < 5; n += 1) create("Domain", `d${n}`, { ...domain, domain: `example-${n}.org` });
    });
    await run.close();
    return run.sent().map(({ method, path, body, atMs }) => ({ method, path, body, atMs }));
  };
  expect(await requests()).toEqual(await requests());
});
